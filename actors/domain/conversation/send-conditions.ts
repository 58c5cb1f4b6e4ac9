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
