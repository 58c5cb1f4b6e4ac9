/**
 * Notices documents that were written past the actors, an import say, or an older version that runs
 * beside this one: the store remembers how many documents a collection has, and when nothing is
 * marked the ledgers hold as many, but for organizations that have none. What that difference was
 * before does not matter; that it has changed means that somebody else has written.
 */
import type { Store } from '../../shared/ports.ts';
import { LEDGERS, type LedgerDocument, ledgerId } from './ledger.ts';
import type { Place } from './places.ts';

/** Installations with more organizations wait for the checks. */
const LEDGERS_MAX = 1_000;

export class Strangers {
  readonly place: Place;
  readonly #store: Store;
  #there: number | null = null;
  #strangers: number | null = null;

  constructor(store: Store, place: Place) {
    this.#store = store;
    this.place = place;
  }

  /** The ledgers that may be wrong because somebody has written past the actors since. */
  async suspects(): Promise<readonly LedgerDocument[]> {
    const there = await this.#count();
    if (there === this.#there || (await this.#isMarked())) return [];
    const ledgers = await this.#ledgers();
    const isQuiet = !(await this.#isMarked()) && (await this.#count()) === there;
    if (!isQuiet || ledgers.length > LEDGERS_MAX) return [];
    const told = ledgers.flatMap(({ counts }) => counts).reduce((sum, { n }) => sum + n, 0);
    const before = this.#strangers;
    this.#strangers = there - told;
    this.#there = there;
    return before === null || before === this.#strangers ? [] : ledgers;
  }

  #count(): Promise<number> {
    return this.#store.count(this.place.collection, {});
  }

  async #isMarked(): Promise<boolean> {
    const filter = { recount: { $gt: '' } };
    const project = { _id: 1 } as const;
    return (await this.#store.findOne(this.place.collection, filter, { project })) !== null;
  }

  #ledgers(): Promise<LedgerDocument[]> {
    const first = ledgerId(this.place, '');
    return this.#store.find<LedgerDocument>(
      LEDGERS,
      { _id: { $gte: first, $lt: `${first}\uffff` } },
      { limit: LEDGERS_MAX + 1 },
    );
  }
}
