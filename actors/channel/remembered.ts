/**
 * What channels have seen lately, to save reads: what is forgotten costs a look at the store. All
 * channels of a process share the room: a few hundred busy ones with 7 MiB each held gigabytes.
 */
export class Remembered<T> {
  readonly #max: number;
  readonly #known = new Map<string, T>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#known.size;
  }

  find(name: string): T | undefined {
    return this.#known.get(name);
  }

  /** The latest goes last. */
  keep(name: string, what: T): void {
    this.#known.delete(name);
    this.#known.set(name, what);
    if (this.#known.size <= this.#max) return;
    const oldest = this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
