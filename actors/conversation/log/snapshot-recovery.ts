/**
 * Recovery of snapshots that the previous owner did not write: of conversations with pending
 * entries, and of those with queued messages. The send agenda is indexed by the channel's
 * partition, not by the conversation's. One read of the whole agenda therefore serves all
 * partitions that are acquired in one tick.
 *
 * 1. A read includes every message that was queued before `recover` was called: no call joins a
 *    read that began earlier.
 * 2. The agenda is read in pages, class by class, and only stale snapshots are written. A backlog
 *    of a million costs time, but neither memory nor an endless query.
 */
import { URGENCIES, type Urgency } from '../../../shared/vocabulary.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { recordCounted } from '../../counters/counted-collection.ts';
import { COUNTED_CONVERSATIONS } from '../../counters/counted-collections.ts';
import type { Environment } from '../../environment.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument, SendAgenda } from '../../model/conversation.ts';
import { Batcher } from '../../runtime/concurrency.ts';
import { ofUrgency, SENDS_BY_URGENCY } from '../../runtime/shelves.ts';
import { snapshotWrite } from './documents.ts';

const PAGE = 2_000;
const BATCH = 500;

interface QueuedEntry extends Pick<EntryDocument, '_id' | 'conversationId' | 'seq'> {
  readonly send?: Pick<SendAgenda, 'partition' | 'at'>;
}

/** Start of a page: a partition, or a time within it. */
interface Cursor {
  readonly partition: number;
  readonly at: number | null;
  /** Entries of exactly this time that were read already. */
  readonly skip: number;
}

type QueuedRecoveryEnvironment = Pick<Environment, 'store' | 'leaseHeld'>;

export class QueuedRecovery {
  readonly #environment: QueuedRecoveryEnvironment;
  readonly #batcher = new Batcher((partitions: readonly (readonly [number, number])[]) =>
    this.#readAll(new Map(partitions)),
  );

  constructor(environment: QueuedRecoveryEnvironment) {
    this.#environment = environment;
  }

  /** Resolves when the snapshots of the partition's queued messages are written. */
  recover(partition: number, epoch: number): Promise<void> {
    return this.#batcher.add([partition, epoch]);
  }

  /** @param epochs by partition */
  async #readAll(epochs: ReadonlyMap<number, number>): Promise<void> {
    for (const urgency of URGENCIES) {
      let cursor: Cursor | null = { partition: 0, at: null, skip: 0 };
      while (cursor && this.#environment.leaseHeld()) {
        const page: readonly QueuedEntry[] = await this.#read(urgency, cursor);
        await this.#writeStale(page, epochs);
        cursor = nextCursor(cursor, page);
      }
    }
  }

  #read(urgency: Urgency, { partition, at, skip }: Cursor): Promise<QueuedEntry[]> {
    // The partial index holds only entries with `send`; a filter without it would not use it.
    const waiting = { send: { $exists: true }, ...ofUrgency(urgency) };
    const filter: Filter<'entries'> =
      at === null
        ? { 'send.partition': { $gte: partition }, ...waiting }
        : { 'send.partition': partition, 'send.at': { $gte: at }, ...waiting };
    return this.#environment.store.find('entries', filter, {
      sort: { 'send.partition': 1, 'send.at': 1, seq: 1 },
      ...(skip > 0 ? { skip } : {}),
      limit: PAGE,
      index: SENDS_BY_URGENCY,
      project: { conversationId: 1, seq: 1, 'send.partition': 1, 'send.at': 1 },
    });
  }

  async #writeStale(
    page: readonly QueuedEntry[],
    epochs: ReadonlyMap<number, number>,
  ): Promise<void> {
    const { store } = this.#environment;
    const epochOf = ({ conversationId }: Pick<EntryDocument, 'conversationId'>) =>
      epochs.get(partitionOf('conversation', conversationId));
    const mine = page.filter((entry) => epochOf(entry) !== undefined);
    const stale = await findStale(store, newestOf(mine));
    if (stale.length === 0) return;
    const ids = stale.map((entry) => entry._id);
    const entries = await store.find('entries', { _id: { $in: ids } });
    for (const [epoch, those] of Map.groupBy(entries, epochOf)) {
      if (epoch !== undefined) await writeSnapshots(store, those, epoch);
    }
  }
}

function nextCursor(cursor: Cursor, page: readonly QueuedEntry[]): Cursor | null {
  const end = page.at(-1)?.send;
  if (end && page.length === PAGE) {
    const { partition, at } = end;
    const isSameTime = cursor.at === at && cursor.partition === partition;
    return { partition, at, skip: isSameTime ? cursor.skip + page.length : 0 };
  }
  return cursor.at === null ? null : { partition: cursor.partition + 1, at: null, skip: 0 };
}

type EntryPosition = Pick<EntryDocument, 'conversationId' | 'seq'>;

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
    const found = await store.find(
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
