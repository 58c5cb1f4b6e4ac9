/**
 * The conditions of a send, judged in the turn that appends its message (D424).
 *
 * 1. A message is accepted on the state that was judged. Another entry meanwhile takes the `seq` of
 *    its own: the turn begins anew and judges again, so of many at once one is accepted.
 * 2. It is refused by what the log says, and not by a snapshot that a crash has left stale.
 * 3. Such a refusal is certain, even of a repeat, where an earlier run on this state was refused as
 *    well (`wasBrokenBefore`). One that was accepted on a state before it finds its `seq` taken,
 *    should its write still be on its way.
 */
import type { Failure } from '../../../shared/failures.ts';
import type { OnlyIf, SendMessage } from '../../../shared/wire/commands.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { brokenCondition, wasBrokenBefore } from '../../domain/conversation/send-conditions.ts';
import type { Store } from '../../model/collections.ts';
import { newestMessageId } from '../log/newest-first.ts';
import type { CheckedSend } from './check-content.ts';
import type { Conversation } from './conversation.ts';
import { BelongsElsewhere } from './join.ts';

export async function judgeConditions(
  conversation: Conversation,
  { state, draft }: Extract<CheckedSend, { draft: unknown }>,
  { onlyIf }: Pick<SendMessage, 'onlyIf'>,
): Promise<CheckedSend> {
  if (!onlyIf || (await judge(conversation, state, onlyIf)) === null) return { state, draft };
  const truth = await conversation.reload();
  if (truth?.joinedTo !== undefined) throw new BelongsElsewhere(truth.joinedTo);
  const broken = await judge(conversation, truth, onlyIf);
  if (!broken) return { state: truth, draft };
  const { refusal } = broken;
  return broken.isCertain ? { refusal, isCertain: true } : { refusal };
}

interface Judged {
  readonly refusal: Failure;
  readonly isCertain: boolean;
}

async function judge(
  { parts }: Conversation,
  state: ConversationState | null,
  onlyIf: OnlyIf,
): Promise<Judged | null> {
  const { store, clock } = parts.environment;
  const isNamed = state !== null && onlyIf.lastMessageId !== undefined;
  const newestId = isNamed ? await newestMessageId(store, state) : null;
  const now = clock.now();
  const refusal = brokenCondition(onlyIf, { state, newestId, now });
  if (!refusal) return null;
  const isNewestMoved = newestId !== null && (await isMoved(store, newestId));
  return { refusal, isCertain: wasBrokenBefore({ refusal, state, now, isNewestMoved }) };
}

async function isMoved(store: Store, messageId: string): Promise<boolean> {
  const entry = await store.byId('entries', messageId);
  return entry?.message?.releasedAt !== undefined;
}
