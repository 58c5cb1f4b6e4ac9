/** What an installation's processes ask of the store and of NATS, by the second of virtual time. */

export const COUNTED = [
  'finds',
  'documents read',
  'writes',
  'compare-and-sets',
  'conflicts',
  'ownership reads',
  'placements',
  'announcements',
  'announcements received',
] as const;
export type Counted = (typeof COUNTED)[number];

export interface Total {
  readonly sum: number;
  /** Of the highest second. */
  readonly peak: number;
}

export class Traffic {
  readonly #now: () => number;
  /** By the whole second. */
  readonly #seconds = new Map<number, Map<Counted, number>>();

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  count(what: Counted, by = 1): void {
    const second = Math.floor(this.#now() / 1_000);
    const counts = this.#seconds.get(second) ?? new Map<Counted, number>();
    this.#seconds.set(second, counts.set(what, (counts.get(what) ?? 0) + by));
  }

  /** From a moment to another, milliseconds: the whole, and the highest second. */
  between(what: Counted, from: number, to: number): Total {
    const counts = [...this.#seconds]
      .filter(([second]) => second >= Math.floor(from / 1_000) && second * 1_000 < to)
      .map(([, counted]) => counted.get(what) ?? 0);
    return { sum: counts.reduce((sum, count) => sum + count, 0), peak: Math.max(0, ...counts) };
  }
}
