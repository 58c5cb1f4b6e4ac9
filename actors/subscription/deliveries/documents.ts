/**
 * A delivery in MongoDB: one event for one subscription, with the body that every attempt sends.
 *
 * 1. All changing fields are one subdocument, written whole by `$max` under a filter of `_id`
 *    alone. This costs 115 to 135 µs, a compare-and-set 260 to 580 µs. A delivery that succeeds at
 *    once costs it once: its claim is in its insert or in the log.
 * 2. `epoch` and `revision` are its first fields and decide the comparison. A late write of a
 *    superseded owner never replaces its successor's, whatever the order of arrival.
 * 3. The store does not report the loser of such a race. That is safe. Each epoch has one writer,
 *    which makes its changes one after the other (`worker.ts`). It posts only if its lease
 *    holds *after* the claim was journaled. A successor reads only after that lease has ended. So a
 *    claim that every later owner sees precedes each POST. An insert is a claim only if it created
 *    the document.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { CommitOptions } from '../../../shared/ports/store.ts';
import type { DeliveryState } from '../../domain/delivery.ts';
import type { Environment } from '../../environment.ts';
import type { Write } from '../../model/collections.ts';
import type { DeliveryDocument, DeliveryRecord } from '../../model/subscription.ts';

/** The author and the time of a change. */
export interface Change {
  readonly epoch: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Set when the breaker parks the delivery. */
  readonly series?: number;
}

/** The delivery after a decision; its revision is higher than every earlier one. */
export function changed(
  delivery: DeliveryDocument,
  next: DeliveryState,
  { epoch, now, series }: Change,
): DeliveryDocument {
  const { status, counted, attempts, underWay, nextAttemptAt, lastWaitMs, byHand } = next;
  // A failed manual retry restores the parked state, under the same series.
  const isParked = status === 'parked' || byHand?.status === 'parked';
  const under = series ?? delivery.state.series;
  const { position, before } = delivery.state;
  const ended = status === 'succeeded' || status === 'failed';
  const decided = { status, counted, attempts, underWay, nextAttemptAt, lastWaitMs, byHand };
  const state: DeliveryRecord = {
    epoch,
    revision: delivery.state.revision + 1,
    ...decided,
    ...(isParked && under !== undefined ? { series: under } : {}),
    ...(ended ? { endedAt: now } : {}),
    ...(position === undefined ? {} : { position }),
    ...(before === undefined ? {} : { before }),
  };
  return { ...delivery, state };
}

export function deliveryWrite({ _id, state }: Pick<DeliveryDocument, '_id' | 'state'>): Write {
  return { update: 'deliveries', filter: { _id }, change: { $max: { state } } };
}

type Revision = Pick<DeliveryRecord, 'epoch' | 'revision'>;

/** Whether `known` is a later state of the same delivery than `other`. */
export function isLater(known: Revision, other: Revision): boolean {
  return known.epoch === other.epoch ? known.revision > other.revision : known.epoch > other.epoch;
}

/** Throws the store's error for any of the writes. */
export async function commit(
  { store }: Pick<Environment, 'store'>,
  writes: readonly Write[],
  options?: CommitOptions,
): Promise<void> {
  for (const outcome of await store.commit(writes, options)) {
    if (outcome.ok) continue;
    throw 'error' in outcome ? outcome.error : new Error(`taken already: ${outcome.duplicate}`);
  }
}

export const TRUSTED_MS = 5_000;
const REMEMBERED_MS = 2 * TRUSTED_MS;
const EVICT_EVERY_MS = 100;
const REVISIONS_MAX = 200_000;
const EVICTED_SHARE = 0.1;

/**
 * Filter of stale reads: the revisions of deliveries that have recently left the worker. Older
 * versions come from an agenda page that was read before the outcome was written, or from a nudge
 * that waited for NATS.
 *
 * 1. A revision is kept until every read that began before it has ended, and for 10 s at least.
 * 2. Beyond `REVISIONS_MAX` the oldest tenth is forgotten. An older version may then be posted once
 *    more, under the same event id.
 * 3. A document that was under way for longer than `TRUSTED_MS` is used only if `withRead` read it.
 */
export class RecentRevisions {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #revisionsMax: number;
  readonly #revisions = new Map<string, { readonly at: number; readonly state: Revision }>();
  #evictedAt = Number.NEGATIVE_INFINITY;
  readonly #reads = new Set<{ readonly from: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>, revisionsMax = REVISIONS_MAX) {
    this.#clock = clock;
    this.#revisionsMax = revisionsMax;
  }

  get size(): number {
    return this.#revisions.size;
  }

  remember({ _id, state: { epoch, revision } }: DeliveryDocument): void {
    this.#evictExpired();
    // Deleted first, so that the map stays in order of time.
    this.#revisions.delete(_id);
    this.#revisions.set(_id, { at: this.#clock.monotonic(), state: { epoch, revision } });
    if (this.#revisions.size > this.#revisionsMax) this.#evictOldest();
  }

  /** False for an earlier revision than the kept one. */
  isNewer({ _id, state }: DeliveryDocument): boolean {
    this.#evictExpired();
    const remembered = this.#revisions.get(_id);
    return !remembered || !isLater(remembered.state, state);
  }

  /** Applies what `read` finds before a revision kept since its start may be forgotten. */
  async withRead<T>(read: () => Promise<T>, apply: (found: T) => void): Promise<void> {
    const reading = { from: this.#clock.monotonic() };
    this.#reads.add(reading);
    try {
      apply(await read());
    } finally {
      this.#reads.delete(reading);
    }
  }

  /** Many at once, for the same reason as `#evictExpired`. */
  #evictOldest(): void {
    let left = Math.ceil(this.#revisionsMax * EVICTED_SHARE);
    for (const id of this.#revisions.keys()) {
      if (left-- <= 0) return;
      this.#revisions.delete(id);
    }
  }

  /** Every `EVICT_EVERY_MS`: after removals at its front, a map is slow to find its first entry. */
  #evictExpired(): void {
    const now = this.#clock.monotonic();
    if (now - this.#evictedAt < EVICT_EVERY_MS) return;
    this.#evictedAt = now;
    let before = now - REMEMBERED_MS;
    for (const { from } of this.#reads) before = Math.min(before, from);
    for (const [id, { at }] of this.#revisions) {
      if (at >= before) return;
      this.#revisions.delete(id);
    }
  }
}
