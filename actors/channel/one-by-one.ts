/** Mutual exclusion by key: work under one key goes one by one, in the order of the calls. */
export class OneByOne {
  readonly #last = new Map<string, Promise<void>>();

  /** Keys under which there is work. */
  get size(): number {
    return this.#last.size;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    try {
      await before;
      return await work();
    } finally {
      if (this.#last.get(key) === promise) this.#last.delete(key);
      resolve();
    }
  }
}
