/**
 * A flow's run in a conversation: plain data inside the conversation's state.
 *
 * 1. `visit` rises with every step that is reached: run + step + visit name one visit for ever.
 * 2. A run is either before a step that is due, or inside one that waits. Its wait and its time
 *    limit are stored here, never in memory only.
 * 3. There is a run exactly while the conversation is `in_flow` (C3.1, D9).
 */
import type { ConversationStatus } from '../../shared/vocabulary.ts';

/** Times are epoch milliseconds. */
export type Phase =
  /** The step is due now. */
  | { readonly kind: 'ready' }
  /** An http call is due, or under way beside the actor. */
  | { readonly kind: 'call' }
  | {
      readonly kind: 'delay';
      readonly until: number;
      /** Whether the contact sees that an answer is being written. */
      readonly typing?: true;
    }
  | {
      readonly kind: 'answer';
      /** End of the wait for the contact. */
      readonly until: number | null;
      /** The contact's text so far; null before the first message. */
      readonly gathered: string | null;
      /** Id of the button or row that was pressed last among the gathered messages. */
      readonly chosen?: string;
      /** Time at which the gathered text counts as the answer. */
      readonly gatherUntil: number | null;
    };

export interface Run {
  readonly id: string;
  readonly flowId: string;
  /** Author label of the flow's messages. */
  readonly flowName: string;
  /** Version of the steps of this run; later changes of the flow do not affect it. */
  readonly versionId: string;
  readonly stepId: string;
  readonly visit: number;
  readonly phase: Phase;
  readonly answers: Readonly<Record<string, string>>;
  /** By the answer's name, the id of the button or row by which it was given. */
  readonly chosen?: Readonly<Record<string, string>>;
  /** Names of answers that are the JSON of an http step. */
  readonly parsed: readonly string[];
  /** Switches to other flows since the last wait. */
  readonly hops: number;
  /** The deal that this run created last. */
  readonly dealId: string | null;
  /** Units that its steps have spent (`budget.ts`). */
  readonly spent?: number;
  readonly startedAt: number;
}

interface Timed {
  readonly run: Run | null;
  readonly at: number;
  readonly automationPausedUntil: number | null;
}

/**
 * Time of the run's next step: now where work remains, null where only a message of the contact
 * advances it. Nothing happens within a pause.
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

/** A conversation that leaves `in_flow`, by a member's `resolve` for example, has no run. */
export function withoutEndedRun<
  S extends { readonly run: Run | null; readonly status: ConversationStatus },
>(state: S): S {
  return state.run && state.status !== 'in_flow' ? { ...state, run: null } : state;
}

/**
 * Why a run was stopped, as the panel and the log name it: its step, or all of them, went beyond
 * the budget; a template failed; successive owners did not finish its step; the operator stopped it.
 */
export type StopReason = 'over_budget' | 'template_failed' | 'not_finished' | 'operator';

/** A run that an entry has ended. */
export interface EndedRun {
  readonly id: string;
  readonly flowId: string;
  readonly flowName: string;
  readonly startedAt: number;
  readonly at: number;
  /** A person, an opt-out or a missing step has ended it, and not its own last step. */
  readonly stopped: boolean;
  readonly reason?: StopReason;
}

interface After {
  readonly at: number;
  readonly run: Run | null;
  readonly status: ConversationStatus;
  readonly joinedTo?: string;
}

/**
 * The run that is no more after an entry, or null.
 * @param decided the state as the decision has it, perhaps with a run that has just lost its status
 */
export function runEndedBy(
  before: Run | null,
  {
    state: decided,
    stopped = false,
    reason,
  }: { readonly state: After; readonly stopped?: boolean; readonly reason?: StopReason },
): EndedRun | null {
  if (!before) return null;
  const hasLeftFlow = decided.run !== null && decided.status !== 'in_flow';
  if (decided.run?.id === before.id && !hasLeftFlow) return null;
  const { id, flowId, flowName, startedAt } = before;
  const isStopped = stopped || hasLeftFlow || decided.joinedTo !== undefined;
  const why = reason === undefined ? {} : { reason };
  return { id, flowId, flowName, startedAt, at: decided.at, stopped: isStopped, ...why };
}
