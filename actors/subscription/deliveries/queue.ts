/**
 * Queue of one subscription's deliveries, as values: times come in, and nothing is read or written.
 *
 * 1. A delivery is in one place: due (for triage), delayed, ready for an attempt, or in flight.
 * 2. A later version replaces an earlier one where it is; an earlier one changes nothing.
 * 3. At most `QUEUED_MAX` wait: the store has the others (`worker-state.ts`).
 */
import type { DeliveryDocument } from '../../model/subscription.ts';
import { isLater } from './documents.ts';

/** A queue with fewer deliveries that wait is refilled. */
export const LOW_WATER = 100;

/** The agenda keeps the deliveries beyond this number. */
const QUEUED_MAX = 1_000;

export interface ReadyDelivery {
  readonly delivery: DeliveryDocument;
  /** It tests whether the subscriber is back. */
  readonly probe: boolean;
}

export class DeliveryQueue {
  readonly #due = new Map<string, DeliveryDocument>();
  readonly #delayed = new Map<string, DeliveryDocument>();
  readonly #ready = new Map<string, ReadyDelivery>();
  readonly #inFlight = new Map<string, DeliveryDocument>();
  #probe: string | null = null;

  /** Deliveries that wait; those in flight do not count. */
  get size(): number {
    return this.#due.size + this.#delayed.size + this.#ready.size;
  }

  /** Deliveries that need not wait for their time. */
  get runnable(): number {
    return this.#due.size + this.#ready.size;
  }

  /** A probe is ready or in flight. */
  get probing(): boolean {
    return this.#probe !== null && this.get(this.#probe) !== undefined;
  }

  get ready(): number {
    return this.#ready.size;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get(id: string): DeliveryDocument | undefined {
    return (
      this.#inFlight.get(id) ??
      this.#ready.get(id)?.delivery ??
      this.#due.get(id) ??
      this.#delayed.get(id)
    );
  }

  /** Queues a delivery, or replaces an earlier version; false when there is no room. */
  put(delivery: DeliveryDocument, now: number): boolean {
    const { _id: id, state } = delivery;
    const known = this.get(id);
    if (known && !isLater(state, known.state)) return true;
    if (this.#inFlight.has(id)) {
      this.#inFlight.set(id, delivery);
      return true;
    }
    if (!known && this.size >= QUEUED_MAX) return false;
    for (const waiting of [this.#due, this.#delayed, this.#ready]) waiting.delete(id);
    const target = (state.nextAttemptAt ?? now) > now ? this.#delayed : this.#due;
    target.set(id, delivery);
    return true;
  }

  /** Epoch milliseconds at which the first delayed delivery is due; null when none is delayed. */
  nextDueAt(): number | null {
    let next: number | null = null;
    for (const { state } of this.#delayed.values()) {
      const at = state.nextAttemptAt ?? 0;
      if (next === null || at < next) next = at;
    }
    return next;
  }

  /** Removes and returns all due deliveries. */
  dequeueDue(now: number): DeliveryDocument[] {
    for (const [id, delivery] of this.#delayed) {
      if ((delivery.state.nextAttemptAt ?? 0) > now) continue;
      this.#delayed.delete(id);
      this.#due.set(id, delivery);
    }
    const due = [...this.#due.values()];
    this.#due.clear();
    return due;
  }

  markReady(delivery: DeliveryDocument, probe = false): void {
    this.#ready.set(delivery._id, { delivery, probe });
    if (probe) this.#probe = delivery._id;
  }

  /** Moves the next ready delivery to those in flight; null when none is ready. */
  dequeueReady(): ReadyDelivery | null {
    for (const [id, ready] of this.#ready) {
      this.#ready.delete(id);
      this.#inFlight.set(id, ready.delivery);
      return ready;
    }
    return null;
  }

  /** Holds a delivery in flight, or its next version. */
  hold(delivery: DeliveryDocument): void {
    this.#inFlight.set(delivery._id, delivery);
  }

  /** Returns ready deliveries to triage; `all`: probes and manual retries too. */
  requeueReady({ all }: { readonly all: boolean } = { all: false }): void {
    for (const [id, { delivery, probe }] of this.#ready) {
      if (!all && (probe || delivery.state.byHand !== null)) continue;
      this.#ready.delete(id);
      this.#due.set(id, delivery);
    }
  }

  removeInFlight(id: string): DeliveryDocument | undefined {
    const delivery = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    if (this.#probe === id) this.#probe = null;
    return delivery;
  }

  empty(): void {
    for (const waiting of [this.#due, this.#delayed, this.#ready]) waiting.clear();
  }
}
