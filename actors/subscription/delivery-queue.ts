/**
 * The deliveries of one subscription that its desk holds in memory: each is in exactly one place.
 *
 * 1. `due` waits to be judged, `later` waits for its time, `cleared` waits for a slot, `inFlight`
 *    is being attempted; of two pictures of one delivery the later one is kept.
 * 2. At most so many wait; the agenda keeps the others. What is in flight is never put off.
 */
import { type DeliveryDocument, isLater } from './documents.ts';

/** Beyond these the agenda keeps them. */
const QUEUED_MAX = 1_000;

export interface ReadyDelivery {
  readonly delivery: DeliveryDocument;
  /** It finds out whether the subscriber is back. */
  readonly probe: boolean;
}

export class DeliveryQueue {
  readonly #due = new Map<string, DeliveryDocument>();
  readonly #delayed = new Map<string, DeliveryDocument>();
  readonly #ready = new Map<string, ReadyDelivery>();
  readonly inFlight = new Map<string, DeliveryDocument>();
  #probe: string | null = null;

  /** Those that wait. */
  get size(): number {
    return this.#due.size + this.#delayed.size + this.#ready.size;
  }

  /** Those that need not wait for their time. */
  get runnable(): number {
    return this.#due.size + this.#ready.size;
  }

  /** A probe is cleared or in flight. */
  get probing(): boolean {
    return this.#probe !== null && this.get(this.#probe) !== undefined;
  }

  get ready(): number {
    return this.#ready.size;
  }

  get(id: string): DeliveryDocument | undefined {
    return (
      this.inFlight.get(id) ??
      this.#ready.get(id)?.delivery ??
      this.#due.get(id) ??
      this.#delayed.get(id)
    );
  }

  /** Takes one to wait for its time; false when there is no room for it. */
  put(delivery: DeliveryDocument, now: number): boolean {
    const { _id: id, state } = delivery;
    const known = this.get(id);
    if (known && !isLater(state, known.state)) return true;
    if (this.inFlight.has(id)) {
      this.inFlight.set(id, delivery);
      return true;
    }
    if (!known && this.size >= QUEUED_MAX) return false;
    this.#remove(id);
    const target = (state.nextAttemptAt ?? now) > now ? this.#delayed : this.#due;
    target.set(id, delivery);
    return true;
  }

  /** When the first of those that wait for their time is due; null when none waits. */
  nextDueAt(): number | null {
    let next: number | null = null;
    for (const { state } of this.#delayed.values()) {
      const at = state.nextAttemptAt ?? 0;
      if (next === null || at < next) next = at;
    }
    return next;
  }

  /** Takes out everything that is due. */
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

  /** The next that was cleared is from now on in flight. */
  dequeueReady(): ReadyDelivery | null {
    for (const [id, ready] of this.#ready) {
      this.#ready.delete(id);
      this.inFlight.set(id, ready.delivery);
      return ready;
    }
    return null;
  }

  /** Takes what was cleared back to be judged anew; `all`: probes and retries by hand too. */
  requeueReady({ all }: { readonly all: boolean } = { all: false }): void {
    for (const [id, { delivery, probe }] of this.#ready) {
      if (!all && (probe || delivery.state.byHand !== null)) continue;
      this.#ready.delete(id);
      this.#due.set(id, delivery);
    }
  }

  removeInFlight(id: string): DeliveryDocument | undefined {
    const delivery = this.inFlight.get(id);
    this.inFlight.delete(id);
    if (this.#probe === id) this.#probe = null;
    return delivery;
  }

  empty(): void {
    this.#due.clear();
    this.#delayed.clear();
    this.#ready.clear();
  }

  #remove(id: string): void {
    this.#due.delete(id);
    this.#delayed.delete(id);
    this.#ready.delete(id);
  }
}
