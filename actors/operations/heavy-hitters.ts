/**
 * The most frequent keys of a stream in bounded memory (Misra and Gries, 1982). Organizations are
 * too many to count each of them.
 *
 * 1. At most `capacity` keys are held.
 * 2. A key with more than 1/(capacity + 1) of all counts is among them.
 * 3. A held count is never too large, and too small by 1/(capacity + 1) of all counts at most.
 */

export interface Weight {
  readonly turns: number;
  /** Sum of the turns' durations, since the key is held. */
  readonly ms: number;
}

interface Counter {
  turns: number;
  ms: number;
}

export class HeavyHitters {
  readonly #capacity: number;
  readonly #counters = new Map<string, Counter>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** One look-up for a held key. A round over all counters takes back as many counts as it has. */
  count(key: string, ms: number): void {
    const counter = this.#counters.get(key);
    if (counter !== undefined) {
      counter.turns++;
      counter.ms += ms;
    } else if (this.#counters.size < this.#capacity) {
      this.#counters.set(key, { turns: 1, ms });
    } else {
      for (const [counted, each] of this.#counters) {
        if (--each.turns === 0) this.#counters.delete(counted);
      }
    }
  }

  counters(): ReadonlyMap<string, Weight> {
    return this.#counters;
  }
}

/** Counts of two streams, one after the other: the bounds hold for both together. */
export function together(
  one: ReadonlyMap<string, Weight>,
  other: ReadonlyMap<string, Weight>,
): ReadonlyMap<string, Weight> {
  const sums = new Map(one);
  for (const [key, { turns, ms }] of other) {
    const known = sums.get(key);
    sums.set(key, known ? { turns: known.turns + turns, ms: known.ms + ms } : { turns, ms });
  }
  return sums;
}
