/**
 * Notices documents that were written past the actors, an import say, or an older version that runs
 * beside this one: the store remembers how many documents a collection has, and when nothing is
 * marked the ledgers hold as many, but for organizations that have none. What that difference was
 * before does not matter; that it has changed means that somebody else has written.
 */
import type { Store } from '../../shared/ports.ts';
import type { CountedCollection } from './counted-collection.ts';
import { COUNTERS, type CounterDocument, counterId } from './counter-document.ts';

/** Installations with more organizations wait for the checks. */
const COUNTERS_MAX = 1_000;

export class DriftCheck {
  readonly countedCollection: CountedCollection;
  readonly #store: Store;
  #documentCount: number | null = null;
  #difference: number | null = null;

  constructor(store: Store, countedCollection: CountedCollection) {
    this.#store = store;
    this.countedCollection = countedCollection;
  }

  /** The ledgers that may be wrong because somebody has written past the actors since. */
  async findDrifted(): Promise<readonly CounterDocument[]> {
    const documentCount = await this.#count();
    if (documentCount === this.#documentCount || (await this.#hasDirty())) return [];
    const counters = await this.#counters();
    const isQuiet = !(await this.#hasDirty()) && (await this.#count()) === documentCount;
    if (!isQuiet || counters.length > COUNTERS_MAX) return [];
    const counted = counters.flatMap(({ counts }) => counts).reduce((sum, { n }) => sum + n, 0);
    const before = this.#difference;
    this.#difference = documentCount - counted;
    this.#documentCount = documentCount;
    return before === null || before === this.#difference ? [] : counters;
  }

  #count(): Promise<number> {
    return this.#store.count(this.countedCollection.collection, {});
  }

  async #hasDirty(): Promise<boolean> {
    const filter = { recount: { $gt: '' } };
    const project = { _id: 1 } as const;
    return (
      (await this.#store.findOne(this.countedCollection.collection, filter, { project })) !== null
    );
  }

  #counters(): Promise<CounterDocument[]> {
    const first = counterId(this.countedCollection, '');
    return this.#store.find<CounterDocument>(
      COUNTERS,
      { _id: { $gte: first, $lt: `${first}\uffff` } },
      { limit: COUNTERS_MAX + 1 },
    );
  }
}
