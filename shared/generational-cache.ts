/**
 * A bounded map that forgets what was used longest ago, in two generations: what is used moves to
 * the young one, and when that is full the old one is forgotten whole. Taking the oldest entry out
 * of a `Map` would walk over all that have been taken out of it before, thousands of them.
 */
export class GenerationalCache<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #generation: number;

  /** At most `capacity` entries; the half of it that was used last is always among them. */
  constructor(capacity: number) {
    this.#generation = Math.ceil(capacity / 2);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size >= this.#generation) this.age();
  }

  /** Begins a generation: an entry that is not used before the next one begins is forgotten. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
