/** Documents of a conversation in MongoDB: a log of entries, and a snapshot of it for lists. */
import type { StoredMessage } from '../../../shared/message.ts';
import type { InboundMedia } from '../../../shared/ports/network-event.ts';
import { foldText } from '../../../shared/text/fold.ts';
import type { OutboxItem } from '../../../shared/wire/outbox.ts';
import { shelfFor, shelved } from '../../../shared/wire/subjects.ts';
import { dirtyFlag, outsideOf, UNCOUNTED } from '../../counters/counted-collection.ts';
import type { Appended, ConversationState } from '../../domain/conversation/conversation.ts';
import { isMoved } from '../../domain/conversation/history-order.ts';
import type { Changes } from '../../domain/conversation/message-change.ts';
import { settledMessage } from '../../domain/conversation/schedule.ts';
import type { Settlement } from '../../domain/conversation/settlement.ts';
import { urgencyField, urgencyOf } from '../../domain/conversation/urgency.ts';
import { type EndedRun, timerOf } from '../../domain/flow-run.ts';
import type { Write } from '../../model/collections.ts';
import type {
  ConversationDocument,
  EntryDocument,
  MediaDue,
  SendAgenda,
} from '../../model/conversation.ts';

/** Unique index that fences the log. */
export const SEQUENCE_INDEX = 'conversation_seq';

/** An entry to append, and the run that it ends. */
export type Appending = Appended & { readonly ended?: EndedRun | null };

/** An entry that settles a scheduled message. */
export type SettlementEntry = Pick<EntryDocument, 'seq'> & { readonly settles: Settlement };

export function entryDocument(id: string, appended: Appending, requestId?: string): EntryDocument {
  const { state, message, outbox, queued, ended = null } = appended;
  const externalId = message?.externalId ?? null;
  const shelf = shelved('conversation', state.id);
  const pending = shelf.partition;
  const timerAt = timerOf(state);
  return {
    _id: id,
    conversationId: state.id,
    seq: state.seq,
    orgId: state.orgId,
    channelId: state.channelId,
    ...(requestId === undefined ? {} : { requestId }),
    ...(externalId === null ? {} : { externalId }),
    ...(message ? { message } : {}),
    after: state,
    ...(outbox.length > 0 ? { outbox: outbox.map((item) => withRequestId(item, requestId)) } : {}),
    // A queued message is recovered through the send agenda: it is pending only for its outbox.
    ...(queued ? { send: sendAgenda(state, agendaFacts(appended)) } : { pending }),
    ...(queued && outbox.length > 0 ? { pending } : {}),
    ...(message?.status === 'scheduled' && message.schedule
      ? { due: { ...shelf, orgId: state.orgId, at: message.schedule.at } }
      : {}),
    ...(appended.settles ? { settles: appended.settles } : {}),
    ...(appended.ownPlace ? { ownPlace: appended.ownPlace } : {}),
    ...(appended.media ? { mediaDue: mediaDue(state, appended.media) } : {}),
    ...(ended === null ? {} : { ended }),
    ...(timerAt === null ? {} : { timer: { ...shelf, at: timerAt, orgId: state.orgId } }),
  };
}

type AgendaFacts = Pick<SendAgenda, 'previousSeq' | 'urgency'>;

function agendaFacts({ state, message, previousSeq = 0 }: Appended): AgendaFacts {
  return { previousSeq, ...(message ? urgencyField(urgencyOf(message, state, state.at)) : {}) };
}

function sendAgenda(
  { channelId, at }: Pick<ConversationState, 'channelId' | 'at'>,
  facts: AgendaFacts,
): SendAgenda {
  const shelf = shelved('channel', channelId);
  return { ...shelf, channelId, state: 'queued', at, attempt: 0, ...facts };
}

/** The entry of a scheduled message after its settlement. */
export function settledEntry(
  { due: _, ...entry }: EntryDocument & { readonly message: StoredMessage },
  { seq, settles }: SettlementEntry,
): EntryDocument {
  const message = settledMessage(entry.message, settles);
  if (settles.outcome !== 'released') return { ...entry, message };
  const { at, previousSeq, to, urgency } = settles;
  const facts = { previousSeq, ...(urgency ? { urgency } : {}) };
  const place = isMoved(entry.message, at) ? { ownPlace: { at, seq } } : {};
  return {
    ...entry,
    ...place,
    message,
    send: { ...sendAgenda({ ...entry, at }, facts), seq, to },
  };
}

/** Only the first write of a settlement has an effect: no later change of the message is undone. */
export function settlementWrite(entry: EntryDocument): Write {
  const { _id, conversationId, message, send, ownPlace } = entry;
  return {
    update: 'entries',
    filter: { _id, conversationId, 'message.status': 'scheduled' },
    change: {
      $set: {
        ...(message ? { message } : {}),
        ...(send ? { send } : {}),
        ...(ownPlace ? { ownPlace } : {}),
      },
      $unset: { due: '' },
    },
  };
}

/** An event has the id of the request that caused it. */
function withRequestId(item: OutboxItem, requestId: string | undefined): OutboxItem {
  return item.type === 'event' && requestId !== undefined ? { ...item, requestId } : item;
}

function mediaDue({ channelId, at }: ConversationState, media: InboundMedia): MediaDue {
  return { ...shelved('channel', channelId), at, attempt: 0, media };
}

/** Writes the stored media on the message, or ends the wait for it. */
export function mediaWrite({ _id, conversationId }: EntryDocument, message: StoredMessage): Write {
  return {
    update: 'entries',
    filter: { _id, conversationId },
    change: { $max: { message }, $unset: { mediaDue: '' } },
  };
}

/** A stale change has no effect: its time is the first field that `$max` compares. */
export function changeWrite(
  { _id, conversationId }: Pick<EntryDocument, '_id' | 'conversationId'>,
  changes: Changes,
): Write {
  const { edit, deletion } = changes;
  const $max = { ...(edit ? { edit } : {}), ...(deletion ? { deletion } : {}) };
  return { update: 'entries', filter: { _id, conversationId }, change: { $max } };
}

/**
 * Upsert of a snapshot that never goes back: `$max` compares documents field by field, `seq` first.
 * Of two owners that wrote the same `seq`, the later epoch wins. A filter on more than `_id` costs
 * three times as much (393 µs against 125 µs, four indexes included).
 * @param recount whether the facet under which the document is counted may have changed
 */
export function snapshotWrite(
  state: ConversationState,
  epoch: number,
  { recount }: { readonly recount: boolean },
): Write {
  const mark = dirtyFlag(state.orgId);
  return {
    update: 'conversations',
    filter: { _id: state.id },
    change: {
      $max: { snapshot: snapshotOf(state, epoch) },
      ...(recount ? { $set: mark } : {}),
      $setOnInsert: recount ? UNCOUNTED : { ...UNCOUNTED, ...mark },
    },
    upsert: true,
  };
}

/**
 * Changes a message that is in the log. A stale change has no effect: the message's revision is its
 * first field. Items of the outbox have derived ids: a repeat does nothing.
 */
export function messageWrite(
  { _id, conversationId }: EntryDocument,
  message: StoredMessage,
  outbox: readonly OutboxItem[],
): Write {
  const pending = shelfFor('conversation', conversationId);
  const set = {
    ...(message.externalId === null ? {} : { externalId: message.externalId }),
    ...(outbox.length > 0 ? { pending } : {}),
  };
  return {
    update: 'entries',
    filter: { _id, conversationId },
    change: {
      $max: { message },
      $unset: { send: '' },
      ...(Object.keys(set).length > 0 ? { $set: set } : {}),
      ...(outbox.length > 0 ? { $push: { outbox: { $each: outbox } } } : {}),
    },
  };
}

/**
 * The entry of a message that leaves the send agenda unsent. It is pending from now on: its snapshot
 * may not be written yet, and the agenda no longer tells the next owner of it.
 */
export function cancelledEntry(
  { send, ...entry }: EntryDocument,
  message: StoredMessage,
): EntryDocument {
  const pending = shelfFor('conversation', entry.conversationId);
  return { ...entry, message, pending, cancelled: { previousSeq: send?.previousSeq ?? 0 } };
}

/**
 * Takes the message out of the send agenda, if no attempt at it was ever marked. With `upsert`, one
 * that was shows as a duplicate.
 */
export function cancelWrite(
  { _id, conversationId, message, cancelled, pending }: EntryDocument,
  outbox: readonly OutboxItem[],
): Write {
  return {
    update: 'entries',
    filter: { _id, conversationId, 'send.state': 'queued', 'send.attempt': 0 },
    change: {
      ...(message ? { $max: { message } } : {}),
      $unset: { send: '' },
      $set: {
        ...(cancelled ? { cancelled } : {}),
        ...(pending === undefined ? {} : { pending }),
      },
      ...(outbox.length > 0 ? { $push: { outbox: { $each: outbox } } } : {}),
    },
    upsert: true,
  };
}

function snapshotOf(state: ConversationState, epoch: number): ConversationDocument['snapshot'] {
  return {
    seq: state.seq,
    epoch,
    orgId: state.joinedTo === undefined ? state.orgId : outsideOf(state.orgId),
    channelId: state.channelId,
    contactId: state.contact.id,
    status: state.status,
    lastMessageAt: state.lastMessageAt,
    assignedTo: state.assignedTo ?? '',
    hasUnread: state.unread > 0,
    search: searchText(state),
    state,
  };
}

/** Separated by a character that no user types. */
function searchText({ contact, lastMessagePreview }: ConversationState): string {
  return foldText([contact.name ?? '', contact.phone, lastMessagePreview].join('\n'));
}
