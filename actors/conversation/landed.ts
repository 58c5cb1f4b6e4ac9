/** Which snapshots have landed, and those that have not, written by a conversation's next owner. */
import type { Store } from '../../shared/ports.ts';
import { sayCounted } from '../tally/mark.ts';
import { CONVERSATION_TALLY } from '../tally/tallied.ts';
import { type ConversationDocument, type EntryDocument, snapshotWrite } from './documents.ts';

type Place = Pick<EntryDocument, 'conversationId' | 'seq'>;

const AT_ONCE = 500;

/** Of each conversation. */
export function newestOf<T extends Place>(entries: readonly T[]): T[] {
  const newest = new Map<string, T>();
  for (const entry of entries) {
    const known = newest.get(entry.conversationId);
    if (!known || known.seq < entry.seq) newest.set(entry.conversationId, entry);
  }
  return [...newest.values()];
}

/** Those that their conversation's snapshot does not know yet. Looking costs less than writing. */
export async function behind<T extends Place>(store: Store, entries: readonly T[]): Promise<T[]> {
  const late: T[] = [];
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE);
    const ids = some.map((entry) => entry.conversationId);
    const found = await store.find<ConversationDocument>(
      'conversations',
      { _id: { $in: ids } },
      { project: { 'snapshot.seq': 1 } },
    );
    const seqOf = new Map(found.map(({ _id, snapshot }) => [_id, snapshot.seq]));
    late.push(...some.filter(({ conversationId, seq }) => (seqOf.get(conversationId) ?? 0) < seq));
  }
  return late;
}

/** Throws when one of them could not be written. */
export async function writeSnapshots(
  store: Store,
  entries: readonly EntryDocument[],
  epoch: number,
): Promise<void> {
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE);
    const ids = some.map((entry) => entry.conversationId);
    await sayCounted(store, CONVERSATION_TALLY, ids);
    const outcomes = await store.commit(
      some.map((entry) => snapshotWrite(entry.after, epoch, { recount: true })),
    );
    // A duplicate is another's first snapshot, which may be older: it is raised the next time.
    if (!outcomes.every(({ ok }) => ok)) throw new Error('a snapshot was refused');
  }
}
