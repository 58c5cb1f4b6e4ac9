/**
 * What is asked at one moment, done at once: a process takes its share of every kind's partitions
 * together, and a question each would be hundreds.
 */
export class Together<Item, Result> {
  readonly #carryOut: (items: readonly Item[]) => Promise<Result>;
  #next: { readonly items: Item[]; readonly result: Promise<Result> } | null = null;

  constructor(carryOut: (items: readonly Item[]) => Promise<Result>) {
    this.#carryOut = carryOut;
  }

  /** What comes of all that are asked at this moment; carried out after this was called. */
  with(item: Item): Promise<Result> {
    if (!this.#next) {
      const items: Item[] = [];
      const result = new Promise<void>((resume) => setImmediate(resume)).then(() => {
        this.#next = null;
        return this.#carryOut(items);
      });
      this.#next = { items, result };
    }
    this.#next.items.push(item);
    return this.#next.result;
  }
}
