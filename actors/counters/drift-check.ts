/**
 * Drift check: detects documents written by other programs, such as an import, or an older release
 * that runs beside this one. The store knows how many documents a collection has. While none is
 * dirty, the counters hold as many, except for organizations without counters. The check ignores
 * the size of that difference: only a change of it shows that another program has written.
 */
import type { Store } from '../../shared/ports/store.ts';
import type { CountedCollection } from './counted-collection.ts';
import { COUNTERS, type CounterDocument, counterId } from './counter-document.ts';

/** Installations with more organizations rely on the regular recounts. */
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

  /** The counters that may be wrong because another program has written since the last call. */
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
