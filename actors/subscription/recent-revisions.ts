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
import type { Clock } from '../../shared/ports/clock.ts';
import { type DeliveryDocument, type DeliveryRecord, isLater } from './documents.ts';

export const TRUSTED_MS = 5_000;
const REMEMBERED_MS = 2 * TRUSTED_MS;
const EVICT_EVERY_MS = 100;
const REVISIONS_MAX = 200_000;
const EVICTED_SHARE = 0.1;

interface RememberedRevision {
  readonly at: number;
  readonly state: Pick<DeliveryRecord, 'epoch' | 'revision'>;
}

export class RecentRevisions {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #revisionsMax: number;
  readonly #revisions = new Map<string, RememberedRevision>();
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
