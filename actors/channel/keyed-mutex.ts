/** Mutex per key: work under one key runs one at a time, in the order of the calls. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>();

  /** Number of keys with work. */
  get size(): number {
    return this.#tails.size;
  }

  async runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(key, promise);
    try {
      await before;
      return await work();
    } finally {
      if (this.#tails.get(key) === promise) this.#tails.delete(key);
      resolve();
    }
  }
}
