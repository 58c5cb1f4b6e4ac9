/** Snapshot recovery: finds stale snapshots of a previous owner and writes them. */
import type { Store } from '../../shared/ports/store.ts';
import { COUNTED_CONVERSATIONS } from '../counters/counted-collections.ts';
import { recordCounted } from '../counters/dirty-fields.ts';
import { type ConversationDocument, type EntryDocument, snapshotWrite } from './documents.ts';

type EntryPosition = Pick<EntryDocument, 'conversationId' | 'seq'>;

const BATCH = 500;

/** The entry with the highest `seq` of each conversation. */
export function newestOf<T extends EntryPosition>(entries: readonly T[]): T[] {
  const newest = new Map<string, T>();
  for (const entry of entries) {
    const known = newest.get(entry.conversationId);
    if (!known || known.seq < entry.seq) newest.set(entry.conversationId, entry);
  }
  return [...newest.values()];
}

/** Entries that are newer than their conversation's snapshot. The check costs less than a write. */
export async function findStale<T extends EntryPosition>(
  store: Store,
  entries: readonly T[],
): Promise<T[]> {
  const stale: T[] = [];
  for (let from = 0; from < entries.length; from += BATCH) {
    const some = entries.slice(from, from + BATCH);
    const ids = some.map((entry) => entry.conversationId);
    const found = await store.find<ConversationDocument>(
      'conversations',
      { _id: { $in: ids } },
      { project: { 'snapshot.seq': 1 } },
    );
    const seqOf = new Map(found.map(({ _id, snapshot }) => [_id, snapshot.seq]));
    stale.push(...some.filter(({ conversationId, seq }) => (seqOf.get(conversationId) ?? 0) < seq));
  }
  return stale;
}

/** @throws {Error} when one of them could not be written */
export async function writeSnapshots(
  store: Store,
  entries: readonly EntryDocument[],
  epoch: number,
): Promise<void> {
  for (let from = 0; from < entries.length; from += BATCH) {
    const some = entries.slice(from, from + BATCH);
    const ids = some.map((entry) => entry.conversationId);
    await recordCounted(store, COUNTED_CONVERSATIONS, ids);
    const outcomes = await store.commit(
      some.map((entry) => snapshotWrite(entry.after, epoch, { recount: true })),
    );
    // A duplicate means that another owner inserted a first snapshot, which may be older. The next
    // write raises it.
    if (!outcomes.every(({ ok }) => ok)) throw new Error('a snapshot was refused');
  }
}
