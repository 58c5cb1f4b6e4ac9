/**
 * Which deliveries have left the desk a moment ago, so that an older picture of one is not taken
 * for news: a page of the agenda that was read before the outcome was written, or a nudge that
 * waited for the NATS server to come back.
 *
 * 1. A state is remembered until every read that began before it has ended, and for 10 s at least.
 * 2. Beyond `MEMORIES_MAX` the oldest tenth is forgotten: a picture older than that may then be
 *    posted once more, under the same event id.
 * 3. Nobody may trust a document that has been on its way for longer than `TRUSTED_MS` without a
 *    read that is announced here.
 */
import type { Clock } from '../../shared/ports.ts';
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
    // Taken out first: the map stays in order of time.
    this.#revisions.delete(_id);
    this.#revisions.set(_id, { at: this.#clock.monotonic(), state: { epoch, revision } });
    if (this.#revisions.size > this.#revisionsMax) this.#evictOldest();
  }

  /** False for a picture of an earlier state. */
  isNewer({ _id, state }: DeliveryDocument): boolean {
    this.#evictExpired();
    const remembered = this.#revisions.get(_id);
    return !remembered || !isLater(remembered.state, state);
  }

  /** Looks at what `read` finds before anything that was settled since it began is forgotten. */
  async withRead<T>(read: () => Promise<T>, apply: (found: T) => void): Promise<void> {
    const reading = { from: this.#clock.monotonic() };
    this.#reads.add(reading);
    try {
      apply(await read());
    } finally {
      this.#reads.delete(reading);
    }
  }

  /** Many at once, for the same reason as below. */
  #evictOldest(): void {
    let left = Math.ceil(this.#revisionsMax * EVICTED_SHARE);
    for (const id of this.#revisions.keys()) {
      if (left-- <= 0) return;
      this.#revisions.delete(id);
    }
  }

  /** Now and then: a map that is emptied from its front is slow to say what its front is. */
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
