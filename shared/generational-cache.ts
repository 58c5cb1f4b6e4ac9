/**
 * Generational cache: a bounded map that forgets the least recently used entries. A used entry
 * moves to the young generation. When that is full, the whole old generation is dropped. Deletion
 * of the oldest entry of a `Map` would instead iterate over thousands of entries that were deleted
 * before it.
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
