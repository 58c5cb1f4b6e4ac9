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
import { partitionOf } from '../../shared/subjects.ts';
import { Batcher } from '../runtime/batcher.ts';
import type { World } from '../world.ts';
import type { EntryDocument } from './documents.ts';
import { behind, newestOf, writeSnapshots } from './landed.ts';

const PAGE = 2_000;

type QueuedEntry = Pick<EntryDocument, '_id' | 'conversationId' | 'seq' | 'send'>;

/** Where a page begins: at a partition, or at a time within it. */
interface Place {
  readonly partition: number;
  readonly at: number | null;
  /** Of that very time, seen already. */
  readonly skip: number;
}

type ReadingWorld = Pick<World, 'store' | 'leaseHeld'>;

export class QueuedLeft {
  readonly #world: ReadingWorld;
  readonly #taken = new Batcher((taken: readonly (readonly [number, number])[]) =>
    this.#readAll(new Map(taken)),
  );

  constructor(world: ReadingWorld) {
    this.#world = world;
  }

  /** Afterwards the snapshots of what was queued in the partition are there. */
  complete(partition: number, epoch: number): Promise<void> {
    return this.#taken.add([partition, epoch]);
  }

  /** `epochs`: by partition. */
  async #readAll(epochs: ReadonlyMap<number, number>): Promise<void> {
    let place: Place | null = { partition: 0, at: null, skip: 0 };
    while (place && this.#world.leaseHeld()) {
      const page: readonly QueuedEntry[] = await this.#read(place);
      await this.#land(page, epochs);
      place = nextPlace(place, page);
    }
  }

  #read({ partition, at, skip }: Place): Promise<QueuedEntry[]> {
    // The index holds none but these, and is used only where the question says so too.
    const send = { $exists: true };
    const filter: Filter =
      at === null
        ? { 'send.partition': { $gte: partition }, send }
        : { 'send.partition': partition, 'send.at': { $gte: at }, send };
    return this.#world.store.find<EntryDocument>('entries', filter, {
      sort: { 'send.partition': 1, 'send.at': 1, seq: 1 },
      ...(skip > 0 ? { skip } : {}),
      limit: PAGE,
      project: { conversationId: 1, seq: 1, 'send.partition': 1, 'send.at': 1 },
    });
  }

  async #land(page: readonly QueuedEntry[], epochs: ReadonlyMap<number, number>): Promise<void> {
    const { store } = this.#world;
    const epochOf = ({ conversationId }: Pick<EntryDocument, 'conversationId'>) =>
      epochs.get(partitionOf('conversation', conversationId));
    const mine = page.filter((entry) => epochOf(entry) !== undefined);
    const late = await behind(store, newestOf(mine));
    if (late.length === 0) return;
    const ids = late.map((entry) => entry._id);
    const entries = await store.find<EntryDocument>('entries', { _id: { $in: ids } });
    for (const [epoch, those] of Map.groupBy(entries, epochOf)) {
      if (epoch !== undefined) await writeSnapshots(store, those, epoch);
    }
  }
}

function nextPlace(place: Place, page: readonly QueuedEntry[]): Place | null {
  const end = page.at(-1)?.send;
  if (end && page.length === PAGE) {
    const { partition, at } = end;
    const stands = place.at === at && place.partition === partition;
    return { partition, at, skip: stands ? place.skip + page.length : 0 };
  }
  return place.at === null ? null : { partition: place.partition + 1, at: null, skip: 0 };
}
