/**
 * Conditions of a send: what its caller believes of the conversation (D424). They are judged on the
 * state on which the message is decided: an entry in between makes its insert collide.
 */
import { type Failure, failure } from '../../../shared/failures.ts';
import type { OnlyIf } from '../../../shared/wire/commands.ts';
import { isPaused } from '../flow-run.ts';
import type { ConversationState } from './conversation.ts';

interface Facts {
  /** Null where there is no conversation yet. */
  readonly state: Pick<ConversationState, 'automationPausedUntil'> | null;
  /** The newest message of the history, without its notes; null where it has none. */
  readonly newestId: string | null;
  readonly now: number;
}

/**
 * Why the message is not sent; null: all that was asked holds. In a conversation that does not exist
 * no message is the newest, and nothing has paused automation.
 */
export function brokenCondition(
  { lastMessageId, automation }: OnlyIf,
  { state, newestId, now }: Facts,
): Failure | null {
  if (automation && state && isPaused(state, now)) return failure('automation_paused');
  const isNewest = lastMessageId === undefined || lastMessageId === newestId;
  return isNewest ? null : failure('not_newest');
}

/** Servers keep their clocks this close (`docs/operations.md`). */
const CLOCKS_APART_MAX_MS = 60_000;

interface Broken extends Pick<Facts, 'state' | 'now'> {
  readonly refusal: Failure;
  /** The newest message got its place after its entry, as one that was sent at its time does. */
  readonly isNewestMoved: boolean;
}

/**
 * Whether nobody can have judged the same state before and found that all holds. Two things change
 * what a state means without an entry of its log: the time that ends a pause, which another server's
 * clock may show sooner, and the settlement of a scheduled message, which is applied after its entry
 * and may be of a joined log.
 */
export function wasBrokenBefore({ refusal, state, now, isNewestMoved }: Broken): boolean {
  if (refusal.kind !== 'automation_paused') return !isNewestMoved;
  return (state?.automationPausedUntil ?? 0) - now > CLOCKS_APART_MAX_MS;
}
