/**
 * The unpublished outbox of earlier owners, found by its partition and read in pages.
 *
 * 1. Partitions that are taken at one moment ask together. Where little is left, one page has it.
 * 2. A backlog of a million costs time: neither memory nor a query that never ends. At most
 *    `HANDED_ON_AT_ONCE` of a collection are under way, and the rest waits in the store.
 */
import type { Document } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import { Together } from '../runtime/together.ts';
import type { World } from '../world.ts';

const PAGE = 500;
const HANDED_ON_AT_ONCE = 1_000;

export interface LeftDocument extends Document {
  /** The partition, while the outbox is not empty. */
  readonly pending?: number;
}

type LeftWorld = Pick<World, 'store' | 'log' | 'alive'>;

export class LeftBehind<T extends LeftDocument> {
  readonly #world: LeftWorld;
  readonly #collection: string;
  readonly #together: Together<number, readonly T[]>;
  readonly #underWay = new Set<string>();
  #onRoom: (() => void)[] = [];

  constructor(world: LeftWorld, collection: string) {
    this.#world = world;
    this.#collection = collection;
    this.#together = new Together((partitions) => this.#page({ pending: { $in: partitions } }));
  }

  /** All of the partition as it is after this was called, each page when `look` is done with the
   * one before. Ends early when this process may act no more. */
  async pages(partition: number, look: (page: readonly T[]) => Promise<void>): Promise<void> {
    const little = await this.#together.with(partition);
    if (little.length < PAGE) return look(little.filter(({ pending }) => pending === partition));
    for (let last = ''; this.#world.alive(); ) {
      const page = await this.#page({ pending: partition, _id: { $gt: last } });
      await look(page);
      const end = page.at(-1);
      if (!end || page.length < PAGE) return;
      last = end._id;
    }
  }

  /** Resolves when everything that is left has been begun; what is under way is left to itself. */
  handOn(partition: number, handOn: (left: T) => Promise<unknown>): Promise<void> {
    return this.pages(partition, async (page) => {
      for (const left of page) {
        await this.#room();
        if (!this.#world.alive()) return;
        if (!this.#underWay.has(left._id)) void this.#begin(left, handOn);
      }
    });
  }

  async #begin(left: T, handOn: (left: T) => Promise<unknown>): Promise<void> {
    this.#underWay.add(left._id);
    try {
      await handOn(left);
    } catch (fault) {
      // It is found again: later by this owner, or by the next.
      this.#world.log.error({ id: left._id, error: describe(fault) }, 'hand-on failed');
    } finally {
      this.#underWay.delete(left._id);
      this.#onRoom.shift()?.();
    }
  }

  async #room(): Promise<void> {
    while (this.#underWay.size >= HANDED_ON_AT_ONCE) {
      await new Promise<void>((resume) => this.#onRoom.push(resume));
    }
  }

  #page(filter: Readonly<Record<string, unknown>>): Promise<readonly T[]> {
    return this.#world.store.find<T>(this.#collection, filter, { sort: { _id: 1 }, limit: PAGE });
  }
}
