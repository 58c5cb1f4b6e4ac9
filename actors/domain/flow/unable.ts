/** A step that is not possible: the run continues, and the team and the log are told. */
import type { Appended } from '../conversation/conversation.ts';

const OF_DEALS = ['stage_not_found', 'deal_not_found', 'deal_closed'] as const;

type Reason =
  | (typeof OF_DEALS)[number]
  | 'not_on_web'
  | 'content_invalid'
  | 'template_refused'
  | 'window_closed'
  | 'nothing_received';

export interface Unable {
  /** For the log. */
  readonly reason: Reason;
  /** For the team, in the conversation. */
  readonly note: string;
}

export function isOfDeal(reason: Reason): boolean {
  return OF_DEALS.some((each) => each === reason);
}

/** The decision of a step. */
export interface StepDecision extends Appended {
  /** Why the step did nothing; the message explains it to the team. */
  readonly unable?: Reason;
}
