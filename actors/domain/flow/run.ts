/**
 * A flow under way in a conversation: plain data inside the conversation's state.
 *
 * 1. `visit` rises with every step arrived at, so run + step + visit name one visit for ever.
 * 2. A run stands either before a step that is to be taken, or inside one that waits; what it waits
 *    for and until when is here, and nowhere in memory.
 * 3. There is a run exactly while the conversation is `in_flow` (C3.1, D9).
 */
import type { ConversationStatus } from '../../../shared/vocabulary.ts';

/** Times are epoch milliseconds. */
export type Phase =
  /** The step is to be taken now. */
  | { readonly kind: 'ready' }
  /** An http call is to be made, or under way beside the actor. */
  | { readonly kind: 'call' }
  | { readonly kind: 'delay'; readonly until: number }
  | {
      readonly kind: 'answer';
      /** When the contact is waited for no longer. */
      readonly until: number | null;
      /** What the contact has typed so far; null before the first message. */
      readonly gathered: string | null;
      /** When what was gathered counts as the answer. */
      readonly gatherUntil: number | null;
    };

export interface Run {
  readonly id: string;
  readonly flowId: string;
  /** The label of what the flow says. */
  readonly flowName: string;
  /** The steps it goes on in, whatever the flow is changed to meanwhile. */
  readonly versionId: string;
  readonly stepId: string;
  readonly visit: number;
  readonly phase: Phase;
  readonly answers: Readonly<Record<string, string>>;
  /** Names of answers that are the JSON of an http step. */
  readonly parsed: readonly string[];
  /** Flows gone over into since anything was waited for. */
  readonly hops: number;
  /** The deal that this run has created last. */
  readonly dealId: string | null;
  readonly startedAt: number;
}

interface Timed {
  readonly run: Run | null;
  readonly at: number;
  readonly automationPausedUntil: number | null;
}

/**
 * When the run has to be looked at again: at once where work remains, null where only a message of
 * the contact moves it. Nothing happens within a pause.
 */
export function timerOf(state: Timed): number | null {
  if (!state.run) return null;
  const at = phaseDueAt(state.run.phase, state.at);
  return at === null ? null : Math.max(at, state.automationPausedUntil ?? 0);
}

function phaseDueAt(phase: Phase, now: number): number | null {
  switch (phase.kind) {
    case 'ready':
    case 'call':
      return now;
    case 'delay':
      return phase.until;
    case 'answer':
      return phase.gathered === null ? phase.until : phase.gatherUntil;
    default:
      return phase satisfies never;
  }
}

export function isPaused(
  { automationPausedUntil }: Pick<Timed, 'automationPausedUntil'>,
  now: number,
): boolean {
  return automationPausedUntil !== null && automationPausedUntil > now;
}

/** Whatever takes a conversation out of `in_flow`, a member's `resolve` say, ends its run. */
export function withoutEndedRun<
  S extends { readonly run: Run | null; readonly status: ConversationStatus },
>(state: S): S {
  return state.run && state.status !== 'in_flow' ? { ...state, run: null } : state;
}
