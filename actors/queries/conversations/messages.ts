/**
 * GET /api/v1/messages: the history of one conversation, newest first (C4.8).
 *
 * 1. A page ends at the `seq` whose state gave its total. A later message is in neither: else it
 *    would displace an older one from a page that claims to be the last.
 * 2. Where no entry has a place of its own, the history is the log in its order: one read.
 */
import { failure, renderFailure } from '../../../shared/failures.ts';
import type { StoredMessage, StoredStatus } from '../../../shared/message.ts';
import type { Commerce } from '../../../shared/message-content.ts';
import type { MessageStatus } from '../../../shared/vocabulary.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import type { ListMessages } from '../../../shared/wire/queries.ts';
import { commerceOf } from '../../domain/conversation/commerce.ts';
import { type ConversationState, shownContent } from '../../domain/conversation/conversation.ts';
import { shownMessage } from '../../domain/conversation/message-change.ts';
import { shownFile } from '../../domain/conversation/message-file.ts';
import type { Environment } from '../../environment.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { type Query, skipOf } from '../lists/answer.ts';
import type { Lists } from '../lists/page.ts';
import { answerPage, type Listing, ROWS } from '../lists/parts.ts';
import { readHistory } from './history.ts';
import { readScheduled } from './scheduled-messages.ts';

/** Joins lead to ever older conversations: a longer chain is a fault. */
const JOINS_MAX = 32;

/** As far as the API shows it. */
type Shown = Pick<EntryDocument, '_id' | 'message' | 'edit' | 'deletion'>;

export const MESSAGES: Listing<ListMessages, Shown> = {
  rest: 'messages-rest',
  read: (store, ids) =>
    store.find('entries', ids, { project: { message: 1, edit: 1, deletion: 1 } }),
  show: async (environment, _query, entries) =>
    entries.map((entry) => renderMessage(environment, entry)).filter((shown) => shown !== null),
};

export function listMessages(lists: Pick<Lists, 'environment' | 'scheduler'>): Query<'messages'> {
  return async ({ store }, query) => {
    const { orgId, channelScope, includeNotes, limit } = query;
    const { id: conversationId, conversation } = await conversationOf(store, query.conversationId);
    if (conversation?.orgId !== orgId) return renderFailure(failure('conversation_not_found'));
    if (channelScope !== null && conversation.channelId !== channelScope) {
      return renderFailure(failure('other_channel'));
    }
    const { seq, joined = [], ownPlaces = 0, messages, notes } = conversation;
    const before = { conversationId };
    if (query.status === 'scheduled') {
      const { rows, total } = await readScheduled(store, [conversationId, ...joined], query);
      return answerPage(lists, MESSAGES, { query, rows, total, before });
    }
    const shown: Filter<'entries'> = {
      message: { $exists: true },
      ...(includeNotes ? {} : { 'message.direction': { $ne: 'note' } }),
    };
    const rows =
      joined.length + ownPlaces > 0
        ? await readHistory(store, conversation, { shown, query })
        : await store.find(
            'entries',
            { conversationId, seq: { $lte: seq }, ...shown },
            { ...ROWS, sort: { seq: -1 }, skip: skipOf(query), limit },
          );
    const total = messages + (includeNotes ? notes : 0);
    return answerPage(lists, MESSAGES, { query, rows, total, before });
  };
}

/**
 * The state of the last entry, which is the truth even before the snapshot is written. Follows
 * joins.
 */
export async function conversationOf(
  store: Store,
  named: string,
): Promise<{ readonly id: string; readonly conversation?: ConversationState | undefined }> {
  const newest = { sort: { seq: -1 }, project: { after: 1 } } as const;
  let id = named;
  for (let hops = 0; hops < JOINS_MAX; hops++) {
    const last = await store.findOne('entries', { conversationId: id }, newest);
    if (last?.after.joinedTo === undefined) return { id, conversation: last?.after };
    id = last.after.joinedTo;
  }
  return { id };
}

/** Null for an entry without a message. */
export function renderMessage(
  environment: Environment,
  entry: Shown,
): Record<string, unknown> | null {
  const { _id: id, message } = entry;
  if (!message) return null;
  const { text, media, editedAt, deletedAt } = shownMessage(message, entry);
  return {
    id,
    direction: message.direction,
    kind: message.kind,
    text,
    media: media && shownFile(media, environment.settings.publicUrl),
    author: message.author,
    status: shownStatus(message.status),
    receipts: {
      sent: timestampOrNull(message.receipts.sent),
      delivered: timestampOrNull(message.receipts.delivered),
      read: timestampOrNull(message.receipts.read),
    },
    externalId: message.externalId,
    replyToId: message.replyToId,
    ...(message.referral === undefined ? {} : { referral: message.referral }),
    transcript: message.transcript,
    ...(deletedAt === undefined ? shownContent(message) : {}),
    ...shownCommerce(message, deletedAt),
    ...(message.bulk ? { priority: 'bulk', expiresAt: timestamp(message.bulk.expiresAt) } : {}),
    ...(message.schedule ? { scheduledAt: timestamp(message.schedule.at) } : {}),
    ...(message.releasedAt === undefined ? {} : { releasedAt: timestamp(message.releasedAt) }),
    createdAt: timestamp(message.createdAt),
    ...(message.arrivedAt === undefined ? {} : { receivedAt: timestamp(message.arrivedAt) }),
    ...(editedAt === undefined ? {} : { editedAt: timestamp(editedAt) }),
    ...(deletedAt === undefined ? {} : { deletedAt: timestamp(deletedAt) }),
    ...(message.error ? { error: message.error } : {}),
  };
}

/** What is on its way to the network waits still, for whoever looks. */
export function shownStatus(status: StoredStatus): MessageStatus {
  return status === 'sending' ? 'queued' : status;
}

/** What the contact ordered or asked about is gone with the words; what brought them here is not. */
function shownCommerce(message: StoredMessage, deletedAt: number | undefined): Commerce {
  const { ad } = message;
  return commerceOf(deletedAt === undefined ? message : { ad });
}

function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}
