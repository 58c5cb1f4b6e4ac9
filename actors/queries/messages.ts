/** GET /api/v1/messages: the history of one conversation, newest first (contract section 4). */
import type { ListMessages } from '../../shared/commands.ts';
import { failure } from '../../shared/failures.ts';
import type { StoredMedia, StoredMessage } from '../../shared/message.ts';
import { timestamp } from '../../shared/outbox.ts';
import type { Answer } from '../../shared/ports.ts';
import type { SizedDocument } from '../../shared/sized-document.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { World } from '../world.ts';
import { type Query, refused, skipOf } from './answer.ts';
import type { Lists } from './page.ts';
import { answerPage, type Listing, ROWS } from './parts.ts';

export const MESSAGES: Listing<ListMessages, EntryDocument> = {
  rest: 'messages-rest',
  collection: 'entries',
  project: { message: 1 },
  show: async (world, _query, entries) =>
    entries.flatMap(({ _id, message }) => (message ? [renderMessage(world, _id, message)] : [])),
};

export function listMessages(lists: Pick<Lists, 'world' | 'turns'>): Query<ListMessages> {
  return (world, query) => historyOf(world, query, lists);
}

async function historyOf(
  world: World,
  query: ListMessages,
  lists: Pick<Lists, 'world' | 'turns'>,
): Promise<Answer> {
  const { orgId, conversationId, channelScope, includeNotes, page, limit } = query;
  // The last entry is the truth, also while the conversation's snapshot is still to be written.
  const last = await world.store.findOne<EntryDocument>(
    'entries',
    { conversationId },
    { sort: { seq: -1 }, project: { after: 1 } },
  );
  const conversation = last?.after;
  if (conversation?.orgId !== orgId) return refused(failure('conversation_not_found'));
  if (channelScope !== null && conversation.channelId !== channelScope) {
    return refused(failure('other_channel'));
  }
  const rows = await world.store.find<SizedDocument<EntryDocument>>(
    'entries',
    {
      conversationId,
      message: { $exists: true },
      ...(includeNotes ? {} : { 'message.direction': { $ne: 'note' } }),
    },
    { ...ROWS, sort: { seq: -1 }, skip: skipOf(query), limit },
  );
  const { messages, notes } = conversation;
  const total = messages + (includeNotes ? notes : 0);
  const before = { conversationId };
  return answerPage(lists, MESSAGES, { query, rows, before, after: { page, limit, total } });
}

function renderMessage(world: World, id: string, message: StoredMessage): Record<string, unknown> {
  return {
    id,
    direction: message.direction,
    kind: message.kind,
    text: message.text,
    media: message.media && renderMedia(world, message.media),
    author: message.author,
    status: message.status === 'sending' ? 'queued' : message.status,
    receipts: {
      sent: timestampOrNull(message.receipts.sent),
      delivered: timestampOrNull(message.receipts.delivered),
      read: timestampOrNull(message.receipts.read),
    },
    externalId: message.externalId,
    replyToId: message.replyToId,
    transcript: message.transcript,
    createdAt: timestamp(message.createdAt),
    ...(message.error ? { error: message.error } : {}),
  };
}

function renderMedia({ settings }: World, media: StoredMedia): Record<string, unknown> {
  return { ...media, url: `${settings.publicUrl}/api/v1/media/${media.id}` };
}

function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}
