/** Context of a subscription's delivery worker: its queue of deliveries, and its permits. */
import { DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION, DELIVERY_SLOW_MS } from '../../../shared/limits.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { DeliveryState } from '../../domain/delivery.ts';
import type { Environment } from '../../environment.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import type { FairSemaphore } from '../../runtime/concurrency.ts';
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

/**
 * Permit of one attempt: a semaphore slot from the claim on, and a place in the limiter during the
 * POST. A slow attempt moves to the overflow pool: its slot serves subscribers that answer.
 */
export interface Permit {
  /** True when the POST may start; false: the claim must be released. */
  acquirePost(): Promise<boolean>;
  /** A repeated call does nothing. */
  release(succeeded: boolean): void;
}

interface PermitsOptions {
  readonly semaphore: FairSemaphore;
  readonly clock: Pick<Clock, 'after'>;
  readonly onFree: () => void;
}

/** The permits of one subscription's attempts. */
export class Permits {
  readonly #options: PermitsOptions;
  readonly #limiter = new InFlightLimiter();
  #inUse = 0;

  constructor(options: PermitsOptions) {
    this.#options = options;
  }

  get available(): boolean {
    return this.#inUse < this.#limiter.limit;
  }

  /** For an attempt that has a slot. */
  acquire(orgId: string): Permit {
    const { semaphore, clock, onFree } = this.#options;
    const limiter = this.#limiter;
    let posting = false;
    let isSlow = false;
    let inOverflow = false;
    let released = false;
    let cancel = (): void => undefined;
    const acquirePost = async (): Promise<boolean> => {
      posting = await limiter.acquire();
      if (!posting) return false;
      cancel = clock.after(DELIVERY_SLOW_MS, () => {
        if (released) return;
        isSlow = true;
        inOverflow = semaphore.moveToOverflow(orgId);
        limiter.markSlow();
      });
      return true;
    };
    const release = (succeeded: boolean): void => {
      if (released) return;
      released = true;
      cancel();
      if (posting) limiter.release({ isSlow, succeeded });
      this.#inUse--;
      onFree();
      if (inOverflow) semaphore.releaseOverflow(orgId);
      else semaphore.release(orgId);
    };
    this.#inUse++;
    return { acquirePost, release };
  }
}

/** Attempts claimed or posted; those beyond the POSTs in flight wait in memory. */
const CLAIMED_AHEAD_MAX = 32;

/**
 * Limiter of one subscriber's POSTs in flight, and of the attempts that are claimed ahead.
 *
 * 1. At most 8 POSTs are in flight; further claimed attempts wait here.
 * 2. Attempts are claimed ahead only for a subscriber that answers promptly. A claim lasts longer
 *    than such a POST, and 8 claims at a time reach only 250 deliveries/s.
 * 3. When one POST is slow, waiting attempts are rejected and their claims released. A crash then
 *    spends no attempts that were only waiting.
 */
class InFlightLimiter {
  #posting = 0;
  #slow = 0;
  /** Whether the last POST that ended was a success. */
  #lastSucceeded = false;
  #waiting: ((granted: boolean) => void)[] = [];

  /** The number of attempts that may be claimed or posted now. */
  get limit(): number {
    const prompt = this.#lastSucceeded && this.#slow === 0;
    return prompt ? CLAIMED_AHEAD_MAX : DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION;
  }

  acquire(): Promise<boolean> {
    if (this.#posting < DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION) {
      this.#posting++;
      return Promise.resolve(true);
    }
    if (this.#slow > 0) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** A POST in flight is slow: waiting attempts are rejected. */
  markSlow(): void {
    this.#slow++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(false);
  }

  release({ isSlow, succeeded }: { readonly isSlow: boolean; readonly succeeded: boolean }): void {
    if (isSlow) this.#slow--;
    this.#lastSucceeded = succeeded;
    const next = this.#waiting.shift();
    if (next) next(true);
    else this.#posting--;
  }
}
