/**
 * Unpublished outbox of earlier owners, found by its partition and read in pages.
 *
 * 1. Partitions that are acquired in one tick share a query. A short backlog is one page.
 * 2. A backlog of a million costs time, but neither memory nor a query that never ends. At most
 *    `IN_FLIGHT_MAX` documents of a collection are in flight; the others wait in the store.
 */
import type { Document, Filter } from '../../shared/ports/store.ts';
import type { Environment } from '../environment.ts';
import { Batcher } from '../runtime/concurrency.ts';
import { describe } from '../runtime/describe-fault.ts';

const PAGE = 500;
const IN_FLIGHT_MAX = 1_000;

export interface UnpublishedDocument extends Document {
  /** The partition, while the outbox is not empty. */
  readonly pending?: number;
}

type UnpublishedEnvironment = Pick<Environment, 'store' | 'log' | 'leaseHeld'>;

export class UnpublishedOutbox<T extends UnpublishedDocument> {
  readonly #environment: UnpublishedEnvironment;
  readonly #collection: string;
  readonly #batcher: Batcher<number, readonly T[]>;
  readonly #inFlight = new Set<string>();
  #waiting: (() => void)[] = [];

  constructor(environment: UnpublishedEnvironment, collection: string) {
    this.#environment = environment;
    this.#collection = collection;
    this.#batcher = new Batcher((partitions) => this.#page({ pending: { $in: partitions } }));
  }

  /**
   * Pages of the partition's documents as they are after this call, while the lease lasts. `read`
   * ends before the next page is read.
   */
  async pages(partition: number, read: (page: readonly T[]) => Promise<void>): Promise<void> {
    const first = await this.#batcher.add(partition);
    if (first.length < PAGE) return read(first.filter(({ pending }) => pending === partition));
    for (let last = ''; this.#environment.leaseHeld(); ) {
      const page = await this.#page({ pending: partition, _id: { $gt: last } });
      await read(page);
      const end = page.at(-1);
      if (!end || page.length < PAGE) return;
      last = end._id;
    }
  }

  /** Resolves when publishing has begun for every document, or the lease has ended. */
  publish(partition: number, publish: (document: T) => Promise<unknown>): Promise<void> {
    return this.pages(partition, async (page) => {
      for (const document of page) {
        await this.#waitForRoom();
        if (!this.#environment.leaseHeld()) return;
        if (!this.#inFlight.has(document._id)) void this.#begin(document, publish);
      }
    });
  }

  async #begin(document: T, publish: (document: T) => Promise<unknown>): Promise<void> {
    this.#inFlight.add(document._id);
    try {
      await publish(document);
    } catch (fault) {
      // This owner or the next one finds it again.
      this.#environment.log.error({ id: document._id, error: describe(fault) }, 'publish failed');
    } finally {
      this.#inFlight.delete(document._id);
      this.#waiting.shift()?.();
    }
  }

  async #waitForRoom(): Promise<void> {
    while (this.#inFlight.size >= IN_FLIGHT_MAX) {
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
  }

  #page(filter: Filter): Promise<readonly T[]> {
    const { store } = this.#environment;
    return store.find<T>(this.#collection, filter, { sort: { _id: 1 }, limit: PAGE });
  }
}
