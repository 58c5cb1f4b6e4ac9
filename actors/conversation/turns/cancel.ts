/**
 * Cancels a message that waits: for its time, or as one of many in its channel's queue (D294, D425).
 *
 * 1. Of a scheduled message the settlement that was committed first counts.
 * 2. A queued one leaves the send agenda by one write, if no attempt at it was ever marked. The mark
 *    compares the same fields: one of both has an effect, whoever owns conversation and channel.
 * 3. It keeps the place of the message before it: those behind it go after that one.
 */
import { type FailureKind, failure, renderFailure } from '../../../shared/failures.ts';
import type { AnswerOf, Command } from '../../../shared/ports/bus.ts';
import { DONE } from '../../../shared/wire/answer.ts';
import type { Acknowledged } from '../../../shared/wire/command-map.ts';
import type { CancelMessage } from '../../../shared/wire/commands.ts';
import { auditItems } from '../../../shared/wire/outbox.ts';
import { cancelledMessage, decideCancel } from '../../domain/conversation/schedule.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { journalBarrier } from '../../runtime/journal-barrier.ts';
import { assertCommitted, Forwarded } from '../../runtime/turn.ts';
import { cancelledEntry, cancelWrite } from '../log/documents.ts';
import type { Conversation } from './conversation.ts';
import { isScheduled, loadedState, settle } from './settle.ts';

/** A cancelled message stays so, whoever asks again. */
export async function cancelMessage(
  conversation: Conversation,
  command: CancelMessage & Pick<Command, 'by'>,
): Promise<AnswerOf<Acknowledged>> {
  const { messageId, orgId, channelScope } = command;
  const entry = await conversation.log.entryAnywhere(messageId);
  if (!entry?.message || entry.orgId !== orgId) return renderFailure(failure('message_not_found'));
  if (channelScope !== null && entry.channelId !== channelScope) {
    return renderFailure(failure('other_channel'));
  }
  if (entry.conversationId !== conversation.id) {
    throw new Forwarded({ to: { kind: 'conversation', key: entry.conversationId }, command });
  }
  if (isScheduled(entry)) return cancelScheduled(conversation, entry);
  if (entry.message.bulk && entry.send) await takeFromQueue(conversation, entry, command);
  return cancelledOr(conversation, entry);
}

async function cancelScheduled(
  conversation: Conversation,
  entry: EntryDocument,
): Promise<AnswerOf<Acknowledged>> {
  const { clock } = conversation.parts.environment;
  const state = await loadedState(conversation);
  const decided = decideCancel(state, { id: entry._id }, clock.now());
  const { settles } = await settle(conversation, entry, decided);
  return settles?.outcome === 'cancelled' ? DONE : renderFailure(failure('not_scheduled'));
}

/** Nothing changes where an attempt is marked already. */
async function takeFromQueue(
  conversation: Conversation,
  entry: EntryDocument,
  command: Pick<Command, 'id' | 'by'>,
): Promise<void> {
  const { id, epoch, parts } = conversation;
  if (!entry.message) return;
  const changed = { kind: 'conversation', id, orgId: entry.orgId } as const;
  const audited = parts.relay.numbered(auditItems(parts.environment, command, changed), epoch);
  const cancelled = cancelledEntry(entry, cancelledMessage(entry.message));
  const [outcome] = await parts.environment.store.commit([cancelWrite(cancelled, audited)]);
  if (outcome && 'duplicate' in outcome) return;
  assertCommitted(outcome, 'the cancel');
  conversation.recent.keep(cancelled);
  conversation.hint(cancelled);
  conversation.nudgeChannel(cancelled);
  conversation.publish(cancelled, audited);
}

/** What the record says, whoever wrote it; it may have been read before it was journaled. */
async function cancelledOr(
  { log, parts }: Conversation,
  { _id, message: before }: EntryDocument,
): Promise<AnswerOf<Acknowledged>> {
  const { message } = (await log.entryAnywhere(_id)) ?? {};
  const kind: FailureKind = before?.bulk ? 'not_waiting' : 'not_scheduled';
  if (message?.status !== 'cancelled') return renderFailure(failure(kind));
  await journalBarrier(parts.environment.store);
  return DONE;
}
