/**
 * Unpublished outbox of earlier owners, found by its partition and read in pages.
 *
 * 1. Partitions that are acquired in one tick share a query. A short backlog is one page.
 * 2. A backlog of a million costs time, but neither memory nor a query that never ends. At most
 *    `PUBLISHED_AT_ONCE` documents of a collection are under way; the others wait in the store.
 */
import type { Document } from '../../shared/ports.ts';
import { Batcher } from '../runtime/batcher.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';

const PAGE = 500;
const PUBLISHED_AT_ONCE = 1_000;

export interface UnpublishedDocument extends Document {
  /** The partition, while the outbox is not empty. */
  readonly pending?: number;
}

type UnpublishedWorld = Pick<World, 'store' | 'log' | 'leaseHeld'>;

export class UnpublishedOutbox<T extends UnpublishedDocument> {
  readonly #world: UnpublishedWorld;
  readonly #collection: string;
  readonly #batcher: Batcher<number, readonly T[]>;
  readonly #underWay = new Set<string>();
  #onRoom: (() => void)[] = [];

  constructor(world: UnpublishedWorld, collection: string) {
    this.#world = world;
    this.#collection = collection;
    this.#batcher = new Batcher((partitions) => this.#page({ pending: { $in: partitions } }));
  }

  /** The partition's documents as they are after this call, page after page: `read` ends before the
   * next one is read. Ends early when the lease does. */
  async pages(partition: number, read: (page: readonly T[]) => Promise<void>): Promise<void> {
    const first = await this.#batcher.add(partition);
    if (first.length < PAGE) return read(first.filter(({ pending }) => pending === partition));
    for (let last = ''; this.#world.leaseHeld(); ) {
      const page = await this.#page({ pending: partition, _id: { $gt: last } });
      await read(page);
      const end = page.at(-1);
      if (!end || page.length < PAGE) return;
      last = end._id;
    }
  }

  /** Resolves when publishing has begun for every document; the last ones may be under way. */
  publish(partition: number, publish: (left: T) => Promise<unknown>): Promise<void> {
    return this.pages(partition, async (page) => {
      for (const left of page) {
        await this.#room();
        if (!this.#world.leaseHeld()) return;
        if (!this.#underWay.has(left._id)) void this.#begin(left, publish);
      }
    });
  }

  async #begin(left: T, publish: (left: T) => Promise<unknown>): Promise<void> {
    this.#underWay.add(left._id);
    try {
      await publish(left);
    } catch (fault) {
      // It is found again: later by this owner, or by the next.
      this.#world.log.error({ id: left._id, error: describe(fault) }, 'hand-on failed');
    } finally {
      this.#underWay.delete(left._id);
      this.#onRoom.shift()?.();
    }
  }

  async #room(): Promise<void> {
    while (this.#underWay.size >= PUBLISHED_AT_ONCE) {
      await new Promise<void>((resume) => this.#onRoom.push(resume));
    }
  }

  #page(filter: Readonly<Record<string, unknown>>): Promise<readonly T[]> {
    return this.#world.store.find<T>(this.#collection, filter, { sort: { _id: 1 }, limit: PAGE });
  }
}
