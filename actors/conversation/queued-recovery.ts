/**
 * Snapshots of queued messages that had not landed when their conversation's owner ended. A queued
 * message is found by its place in the send agenda, which knows nothing of conversations' owners:
 * one reading of it serves all the partitions that are taken at one moment.
 *
 * 1. What was queued before `complete` was called is seen: nobody shares a reading begun earlier.
 * 2. The agenda is read page by page, and written is only what has not landed: a backlog of a
 *    million costs time, and neither memory nor a query that never ends.
 */
import type { Filter } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { Batcher } from '../runtime/batcher.ts';
import type { EntryDocument } from './documents.ts';
import { findStale, newestOf, writeSnapshots } from './snapshot-recovery.ts';

const PAGE = 2_000;

type QueuedEntry = Pick<EntryDocument, '_id' | 'conversationId' | 'seq' | 'send'>;

/** Where a page begins: at a partition, or at a time within it. */
interface Cursor {
  readonly partition: number;
  readonly at: number | null;
  /** Of that very time, seen already. */
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

  /** Afterwards the snapshots of what was queued in the partition are there. */
  recover(partition: number, epoch: number): Promise<void> {
    return this.#batcher.add([partition, epoch]);
  }

  /** `epochs`: by partition. */
  async #readAll(epochs: ReadonlyMap<number, number>): Promise<void> {
    let cursor: Cursor | null = { partition: 0, at: null, skip: 0 };
    while (cursor && this.#environment.leaseHeld()) {
      const page: readonly QueuedEntry[] = await this.#read(cursor);
      await this.#writeStale(page, epochs);
      cursor = nextCursor(cursor, page);
    }
  }

  #read({ partition, at, skip }: Cursor): Promise<QueuedEntry[]> {
    // The index holds none but these, and is used only where the question says so too.
    const send = { $exists: true };
    const filter: Filter =
      at === null
        ? { 'send.partition': { $gte: partition }, send }
        : { 'send.partition': partition, 'send.at': { $gte: at }, send };
    return this.#environment.store.find<EntryDocument>('entries', filter, {
      sort: { 'send.partition': 1, 'send.at': 1, seq: 1 },
      ...(skip > 0 ? { skip } : {}),
      limit: PAGE,
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
    const entries = await store.find<EntryDocument>('entries', { _id: { $in: ids } });
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
