/**
 * Partitions of one kind that this process owns. A tenure is the time under one epoch; its workers
 * live as long.
 *
 * 1. Acquiring again under the same epoch keeps the workers; another epoch closes them first.
 * 2. The tenures of a partition differ in identity: late results of an earlier one are recognized.
 */
export interface Worker {
  /** Starts nothing more. Resolves when nothing is in flight, at the latest after `ms`. */
  drain(ms: number): Promise<void>;
  close(): void;
  /** Nothing is lost when it is closed now. */
  readonly isDisposable: boolean;
}

export class Tenure<W extends Worker> {
  readonly epoch: number;
  readonly #make: (key: string) => W;
  /** By key; idle ones are disposed of. */
  readonly #workers = new Map<string, W>();

  constructor(epoch: number, make: (key: string) => W) {
    this.epoch = epoch;
    this.#make = make;
  }

  /** The worker of the key, which is made if it is missing. */
  of(key: string): W {
    const worker = this.#workers.get(key) ?? this.#make(key);
    this.#workers.set(key, worker);
    return worker;
  }

  find(key: string): W | undefined {
    return this.#workers.get(key);
  }

  workers(): readonly W[] {
    return [...this.#workers.values()];
  }

  /** Closes the key's worker, if it is this one and disposable. */
  dispose(key: string, worker: W): void {
    if (!worker.isDisposable || this.#workers.get(key) !== worker) return;
    worker.close();
    this.#workers.delete(key);
  }

  disposeIdle(): void {
    for (const [key, worker] of this.#workers) this.dispose(key, worker);
  }

  end(): void {
    for (const worker of this.#workers.values()) worker.close();
  }
}

export class OwnedPartitions<W extends Worker, T extends Tenure<W> = Tenure<W>> {
  readonly #begin: (epoch: number) => T;
  readonly #tenures = new Map<number, T>();
  #begun = 0;
  /** Ordinal of a partition's tenure among all that have begun. */
  readonly #ordinals = new Map<number, number>();

  constructor(begin: (epoch: number) => T) {
    this.#begin = begin;
  }

  get numbers(): readonly number[] {
    return [...this.#tenures.keys()];
  }

  get(number: number): T | undefined {
    return this.#tenures.get(number);
  }

  acquire(number: number, epoch: number): T {
    const known = this.#tenures.get(number);
    if (known?.epoch === epoch) return known;
    known?.end();
    const tenure = this.#begin(epoch);
    this.#tenures.set(number, tenure);
    this.#ordinals.set(number, ++this.#begun);
    return tenure;
  }

  release(number: number): void {
    this.#tenures.get(number)?.end();
    this.#tenures.delete(number);
    this.#ordinals.delete(number);
  }

  async drain(number: number, ms: number): Promise<void> {
    await Promise.all(this.workers([number]).map((worker) => worker.drain(ms)));
  }

  /** The workers of all partitions, or of some. */
  workers(numbers = this.numbers): readonly W[] {
    return numbers.flatMap((number) => this.#tenures.get(number)?.workers() ?? []);
  }

  /** Whether a partition is still held in the tenure of this call's time. */
  tenuresNow(): (number: number) => boolean {
    const begun = this.#begun;
    return (number) => (this.#ordinals.get(number) ?? Infinity) <= begun;
  }
}

/** For a kind without workers by key. */
export function withoutWorkers(): OwnedPartitions<never> {
  const none = () => {
    throw new TypeError('this kind has no workers');
  };
  return new OwnedPartitions<never>((epoch) => new Tenure<never>(epoch, none));
}
