/**
 * The deliveries of one subscription that its desk holds in memory: each is in exactly one place.
 *
 * 1. `due` waits to be judged, `later` waits for its time, `cleared` waits for a slot, `inFlight`
 *    is being attempted; of two pictures of one delivery the later one is kept.
 * 2. At most so many wait; the agenda keeps the others. What is in flight is never put off.
 */
import { type DeliveryDocument, isLater } from './documents.ts';

/** Beyond these the agenda keeps them. */
const HELD_MAX = 1_000;

export interface Cleared {
  readonly delivery: DeliveryDocument;
  /** It finds out whether the subscriber is back. */
  readonly probe: boolean;
}

export class Tray {
  readonly #due = new Map<string, DeliveryDocument>();
  readonly #later = new Map<string, DeliveryDocument>();
  readonly #cleared = new Map<string, Cleared>();
  readonly inFlight = new Map<string, DeliveryDocument>();
  #probe: string | null = null;

  /** Those that wait. */
  get held(): number {
    return this.#due.size + this.#later.size + this.#cleared.size;
  }

  /** Those that need not wait for their time. */
  get waiting(): number {
    return this.#due.size + this.#cleared.size;
  }

  /** A probe is cleared or in flight. */
  get probing(): boolean {
    return this.#probe !== null && this.get(this.#probe) !== undefined;
  }

  get cleared(): number {
    return this.#cleared.size;
  }

  get(id: string): DeliveryDocument | undefined {
    return (
      this.inFlight.get(id) ??
      this.#cleared.get(id)?.delivery ??
      this.#due.get(id) ??
      this.#later.get(id)
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
    if (!known && this.held >= HELD_MAX) return false;
    this.#remove(id);
    const place = (state.nextAttemptAt ?? now) > now ? this.#later : this.#due;
    place.set(id, delivery);
    return true;
  }

  /** When the first of those that wait for their time is due; null when none waits. */
  nextAt(): number | null {
    let next: number | null = null;
    for (const { state } of this.#later.values()) {
      const at = state.nextAttemptAt ?? 0;
      if (next === null || at < next) next = at;
    }
    return next;
  }

  /** Takes out everything that is due. */
  takeDue(now: number): DeliveryDocument[] {
    for (const [id, delivery] of this.#later) {
      if ((delivery.state.nextAttemptAt ?? 0) > now) continue;
      this.#later.delete(id);
      this.#due.set(id, delivery);
    }
    const due = [...this.#due.values()];
    this.#due.clear();
    return due;
  }

  clear(delivery: DeliveryDocument, probe = false): void {
    this.#cleared.set(delivery._id, { delivery, probe });
    if (probe) this.#probe = delivery._id;
  }

  /** The next that was cleared is from now on in flight. */
  launch(): Cleared | null {
    for (const [id, cleared] of this.#cleared) {
      this.#cleared.delete(id);
      this.inFlight.set(id, cleared.delivery);
      return cleared;
    }
    return null;
  }

  /** Takes what was cleared back to be judged anew; `all`: probes and retries by hand too. */
  recall({ all }: { readonly all: boolean } = { all: false }): void {
    for (const [id, { delivery, probe }] of this.#cleared) {
      if (!all && (probe || delivery.state.byHand !== null)) continue;
      this.#cleared.delete(id);
      this.#due.set(id, delivery);
    }
  }

  land(id: string): DeliveryDocument | undefined {
    const delivery = this.inFlight.get(id);
    this.inFlight.delete(id);
    if (this.#probe === id) this.#probe = null;
    return delivery;
  }

  empty(): void {
    this.#due.clear();
    this.#later.clear();
    this.#cleared.clear();
  }

  #remove(id: string): void {
    this.#due.delete(id);
    this.#later.delete(id);
    this.#cleared.delete(id);
  }
}
