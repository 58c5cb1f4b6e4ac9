/** All chance of a simulated world, from one seed (xoshiro128**). */
import type { Random } from '../../../../shared/ports/random.ts';

function splitMix(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
}

function rotated(value: number, by: number): number {
  return ((value << by) | (value >>> (32 - by))) >>> 0;
}

export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    const next = splitMix(seed);
    [this.#a, this.#b, this.#c, this.#d] = [next(), next(), next(), next()];
  }

  unit(): number {
    const result = Math.imul(rotated(Math.imul(this.#b, 5), 7), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotated(this.#d, 11);
    return result / 0x1_0000_0000;
  }

  between(min: number, max: number): number {
    return min + this.unit() * (max - min);
  }

  /** A whole number of 0…count-1. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  happens(probability: number): boolean {
    return probability > 0 && this.unit() < probability;
  }

  /** Many short, few long: exponential with a mean, at most ten times that. */
  around(mean: number): number {
    return Math.min(mean * 10, -Math.log(1 - this.unit()) * mean);
  }

  pick<const T>(list: readonly T[]): T {
    const at = this.below(list.length);
    for (const picked of list.slice(at, at + 1)) return picked;
    throw new RangeError('nothing to pick from');
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((value) => ({ value, at: this.unit() }))
      .sort((left, right) => left.at - right.at)
      .map(({ value }) => value);
  }

  /** Chance of its own, so that one part's draws do not move another's. */
  branch(): SeededRandom {
    return new SeededRandom(Math.floor(this.unit() * 0xffff_ffff));
  }
}
