/**
 * Series of an outage, without a store or a clock. Deliveries are parked under its name, and found
 * again by it.
 *
 * 1. It begins with the first opening of the breaker and lasts over any number of openings, until
 *    all deliveries parked since are unparked.
 * 2. None is parked before the name is on record: a crash between the two would park it for ever.
 * 3. It ends when reads have found nothing for `LATE_MS`, the time of a late write.
 */

/** Between two tries of a worker's triage, or of a look for parked deliveries. */
export const AGAIN_MS = 1_000;
/** Twice the longest call of the store. */
export const LATE_MS = 10_000;

export class OutageSeries {
  #name: number | null = null;
  /** The name that a read found on record under this epoch. */
  #recorded: number | null = null;
  /** Monotonic milliseconds of the reads that found nothing: first and last. */
  #empty: { readonly since: number; readonly at: number } | null = null;

  /** Null without an outage. */
  get name(): number | null {
    return this.#name;
  }

  get isRecorded(): boolean {
    return this.#recorded === this.#name;
  }

  /** The name of the outage, which begins now if there is none. */
  begin(now: number): number {
    this.#name ??= now;
    return this.#name;
  }

  /** Takes over the name that another worker has recorded; an outage of its own stays. */
  adopt(name: number | null): void {
    this.#name = name ?? this.#name;
  }

  /** A read found this name on record. */
  confirm(name: number | null): void {
    this.#recorded = name;
  }

  end(): void {
    this.#name = null;
    this.#empty = null;
  }

  /** The name to look under for parked deliveries; null where a read has just found none. */
  toUnpark(monotonic: number): number | null {
    const checkedRecently = this.#empty !== null && monotonic - this.#empty.at < AGAIN_MS;
    return checkedRecently ? null : this.#name;
  }

  /** Some are parked, or are about to be. */
  foundSome(): void {
    this.#empty = null;
  }

  /** A read found no parked deliveries. True: the series has ended with it. */
  foundNone(monotonic: number): boolean {
    const since = this.#empty?.since ?? monotonic;
    this.#empty = { since, at: monotonic };
    if (monotonic - since < LATE_MS) return false;
    this.end();
    return true;
  }
}
