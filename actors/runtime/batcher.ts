/**
 * Batches the calls of one tick. A process acquires its share of every kind's partitions in one
 * tick, which would be hundreds of queries.
 */
export class Batcher<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<Result>;
  #next: { readonly items: Item[]; readonly result: Promise<Result> } | null = null;

  constructor(run: (items: readonly Item[]) => Promise<Result>) {
    this.#run = run;
  }

  /** The result of the batch of this tick, which runs after this call. */
  add(item: Item): Promise<Result> {
    if (!this.#next) {
      const items: Item[] = [];
      const result = new Promise<void>((resume) => setImmediate(resume)).then(() => {
        this.#next = null;
        return this.#run(items);
      });
      this.#next = { items, result };
    }
    this.#next.items.push(item);
    return this.#next.result;
  }
}
