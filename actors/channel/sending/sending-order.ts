/**
 * Messages of a conversation by their sending order. A message that was scheduled has the place of
 * its settlement, and not that of its own entry (D294).
 */
import { readAnswering } from '../../contact/opt-outs.ts';
import type { Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';

/** The entry of the message at a place of the sending order; null where there is none. */
export async function findByOrder(
  store: Store,
  conversationId: string,
  seq: number,
): Promise<EntryDocument | null> {
  const entry = await store.findOne('entries', { conversationId, seq });
  return entry?.settles ? store.byId('entries', entry.settles.messageId) : entry;
}

interface Predecessor {
  readonly entry: EntryDocument | null;
  readonly seq: number;
}

/**
 * The message before a place that has to be complete; null: all before it are. A cancelled one was
 * never sent, and says nothing of those before it.
 */
export async function findPredecessor(
  { store, covers }: { readonly store: Store; readonly covers: (seq: number) => boolean },
  conversationId: string,
  previousSeq: number,
): Promise<Predecessor | null> {
  for (let seq = previousSeq; !covers(seq); ) {
    const entry = await findByOrder(store, conversationId, seq);
    if (entry?.cancelled === undefined) return { entry, seq };
    seq = entry.cancelled.previousSeq;
  }
  return null;
}

type Queued = Pick<EntryDocument, '_id' | 'externalId' | 'send'>;

/**
 * Entries of the messages at the newest places, the newest first.
 * @param limit number of entries of the log that are read
 */
export async function newestByOrder(
  store: Store,
  conversationId: string,
  limit: number,
): Promise<readonly Queued[]> {
  const project = { externalId: 1, send: 1, settles: 1 } as const;
  const newest = { sort: { seq: -1 }, limit, project } as const;
  const entries = await store.find('entries', { conversationId }, newest);
  const ids = entries.flatMap(({ settles }) => settles?.messageId ?? []);
  if (ids.length === 0) return entries;
  const settled = await store.find('entries', { _id: { $in: ids } }, { project });
  const byId = new Map(settled.map((entry) => [entry._id, entry]));
  return entries.map((entry) => byId.get(entry.settles?.messageId ?? '') ?? entry);
}

/**
 * The logs of a conversation's chat, its own first: of the conversation that answers, and of those
 * that were joined to it.
 */
export async function logsOfChat(store: Store, conversationId: string): Promise<readonly string[]> {
  const answering = await readAnswering(store, conversationId);
  if (answering === null) return [conversationId];
  return [...new Set([conversationId, answering.id, ...(answering.joined ?? [])])];
}
