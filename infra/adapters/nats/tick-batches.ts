/**
 * Items by subject that leave together: what is added in one turn of the event loop is one batch
 * of its subject. A message of many items costs the bus and both ends little more than one of one.
 */
export class TickBatches<Item> {
  readonly #publish: (subject: string, items: readonly Item[]) => void;
  #added = new Map<string, Item[]>();
  #isScheduled = false;

  constructor(publish: (subject: string, items: readonly Item[]) => void) {
    this.#publish = publish;
  }

  add(subject: string, item: Item): void {
    const batch = this.#added.get(subject);
    if (batch) batch.push(item);
    else this.#added.set(subject, [item]);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const added = this.#added;
    this.#added = new Map();
    for (const [subject, items] of added) this.#publish(subject, items);
  }
}
