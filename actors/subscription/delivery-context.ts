/** Queue of one subscription's deliveries, and the context that parts of its worker share. */
import type { DeliveryState } from '../domain/delivery.ts';
import type { Environment } from '../environment.ts';
import type { DeliveryDocument } from './api.ts';
import type { AttemptLog } from './attempt-log.ts';
import { AGAIN_MS, type BreakerRecord } from './breaker-record.ts';
import type { ConfigurationSource } from './configuration.ts';
import { changed, commit, deliveryWrite, isLater, type RecentRevisions } from './documents.ts';

/** A worker with fewer queued deliveries reads more. */
export const LOW_WATER = 100;

export interface DeliveryContext {
  readonly environment: Environment;
  readonly subscriptionId: string;
  readonly epoch: number;
  readonly revisions: RecentRevisions;
  readonly attemptLog: AttemptLog;
  readonly queue: DeliveryQueue;
  readonly source: ConfigurationSource;
  readonly breaker: BreakerRecord;
  /** Whether this process may still act for the subscription. */
  readonly mayAct: () => boolean;
}

/** The delivery after a decision that is made now. */
export function change(
  { environment, epoch }: DeliveryContext,
  delivery: DeliveryDocument,
  next: DeliveryState,
): DeliveryDocument {
  return changed(delivery, next, { epoch, now: environment.clock.now() });
}

/** Neither held nor remembered in a later state. A repeated publish may insert it again. */
export function isUntracked({ queue, revisions }: DeliveryContext, delivery: DeliveryDocument) {
  return queue.get(delivery._id) === undefined && revisions.isNewer(delivery);
}

/** Writes deliveries that leave the worker; older versions of them are stale from now on. */
export async function writeBack(
  { environment, revisions }: DeliveryContext,
  deliveries: readonly DeliveryDocument[],
): Promise<void> {
  if (deliveries.length === 0) return;
  for (const delivery of deliveries) revisions.remember(delivery);
  await commit(environment, deliveries.map(deliveryWrite));
}

/** Milliseconds until the next retry or probe; null when nothing waits for its time. */
export function nextDueMs({ environment, queue, breaker }: DeliveryContext, enabled: boolean) {
  const now = environment.clock.now();
  // A page that could not be unparked now is tried again.
  const again = breaker.series !== null && !breaker.open ? now + AGAIN_MS : null;
  const times = [queue.nextDueAt(), enabled ? (breaker.nextProbeAt(now) ?? again) : null]
    .filter((at) => at !== null)
    .filter((at) => at > now);
  return times.length > 0 ? Math.min(...times) - now : null;
}

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
  readonly inFlight = new Map<string, DeliveryDocument>();
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

  get(id: string): DeliveryDocument | undefined {
    return (
      this.inFlight.get(id) ??
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
    if (this.inFlight.has(id)) {
      this.inFlight.set(id, delivery);
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
      this.inFlight.set(id, ready.delivery);
      return ready;
    }
    return null;
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
    const delivery = this.inFlight.get(id);
    this.inFlight.delete(id);
    if (this.#probe === id) this.#probe = null;
    return delivery;
  }

  empty(): void {
    for (const waiting of [this.#due, this.#delayed, this.#ready]) waiting.clear();
  }
}
