/**
 * State of one delivery worker, as values: times and facts come in, and nothing is read or written.
 *
 * 1. A worker that drains starts nothing more; one that is closed takes nothing more either.
 * 2. Where a delivery found no room in the queue, or the next page of the agenda leaves this
 *    subscription out, the rest is read once the queue is low: one refill, however often that was.
 */
import type { DeliveryDocument } from '../../model/subscription.ts';
import { DeliveryQueue, LOW_WATER } from './queue.ts';

/** In flight at most, with successes not recorded yet: bounds memory while the store stalls. */
const UNRECORDED_MAX = 64;
const IDLE_MS = 60_000;

export class WorkerState {
  readonly queue = new DeliveryQueue();
  #isDraining = false;
  #isClosed = false;
  /** The store may hold due deliveries that are not queued here. */
  #needsRefill = false;
  /** Monotonic milliseconds. */
  #usedAt: number;

  constructor(monotonic: number) {
    this.#usedAt = monotonic;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether another attempt may be held: permits are the caller's. */
  get hasCapacity(): boolean {
    return this.mayStart && this.queue.inFlight < UNRECORDED_MAX;
  }

  get mayStart(): boolean {
    return !this.#isDraining && !this.#isClosed;
  }

  /** Nothing waits before a new delivery, here or in the store. */
  get isEmpty(): boolean {
    return this.queue.runnable === 0 && !this.#needsRefill;
  }

  use(monotonic: number): void {
    this.#usedAt = monotonic;
  }

  /** Holds nothing, and was not used for a minute. */
  isUnused(monotonic: number): boolean {
    const holds = this.queue.size + this.queue.inFlight > 0;
    return !holds && this.#usedAt <= monotonic - IDLE_MS;
  }

  add(delivery: DeliveryDocument, now: number): void {
    this.#needsRefill = !this.queue.put(delivery, now) || this.#needsRefill;
  }

  /**
   * From the agenda. Its next page excludes a subscription with `LOW_WATER` queued deliveries, also
   * where the page before has queued them: the rest is read when they are gone, not with a poll.
   */
  addRead(delivery: DeliveryDocument, now: number): void {
    const before = this.queue.size;
    this.add(delivery, now);
    if (this.queue.size > before && this.queue.size >= LOW_WATER) this.#needsRefill = true;
  }

  /** Some that were changed in the store may have found no room. */
  leaveInStore(): void {
    this.#needsRefill = true;
  }

  /** True where the store is to be read now; asked again, false until there is a new need. */
  takeRefill(): boolean {
    const isDue = this.#needsRefill && this.queue.size < LOW_WATER;
    if (isDue) this.#needsRefill = false;
    return isDue;
  }

  drain(): void {
    this.#isDraining = true;
  }

  close(): void {
    this.#isClosed = true;
    this.queue.empty();
  }
}

/** Milliseconds until the first of these times that is not past; null when there is none. */
export function nextWakeMs(now: number, times: readonly (number | null)[]): number | null {
  const later = times.filter((at) => at !== null).filter((at) => at > now);
  return later.length > 0 ? Math.min(...later) - now : null;
}
