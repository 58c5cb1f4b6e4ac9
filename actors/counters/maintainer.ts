/**
 * Maintainer of the counters, in the background. It counts dirty documents within moments. It
 * checks the counters that lists use from time to time, so that documents of other programs are
 * counted too.
 *
 * 1. One process counts for an organization: its owner. Two at a change of owner do no harm: a
 *    counter document changes by compare-and-set.
 * 2. Dirty documents that are not counted yet make no total wrong (`totals.ts`).
 */
import type { Store } from '../../shared/ports/store.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { purge } from '../runtime/purge.ts';
import type { CountedCollection, CountedDocument } from './counted-collection.ts';
import { COUNTED_COLLECTIONS } from './counted-collections.ts';
import {
  applyBatch,
  BATCH_MAX,
  BATCHES,
  type CounterDocument,
  counterId,
  readCounter,
} from './counter-document.ts';
import { DriftCheck } from './drift-check.ts';
import { recountAll } from './recount.ts';
import { type RecountRequest, RecountRequests } from './recount-request.ts';

/** Between two polls while documents are dirty or requests wait. */
const POLL_SOON_MS = 1_000;
/** A drift check costs four more queries. */
const DRIFT_CHECK_EVERY_MS = 20_000;
/** Its owner serves what belongs to no organization. */
const FIRST_PARTITION = 0;
/** A pause between two batches leaves the store to other work. */
const BATCH_PAUSE_MS = 20;
/** A recount costs a second for each million documents: the larger, the rarer. */
const CHECK_EVERY_MS = { least: 60_000, most: 3_600_000, perDocument: 0.6 };
const BATCH_RETENTION_MS = 3_600_000;
/** Where documents change too fast for a recount, lists count them one by one meanwhile. */
const RECOUNT_RETRY_MS = 10_000;

type MaintainerWorld = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld' | 'bus'>;

export class CounterMaintainer {
  readonly #environment: MaintainerWorld;
  /** Owned partitions of organizations. */
  readonly #partitions = new Set<number>();
  readonly #requests = new Map<string, RecountRequest>();
  readonly #notBefore = new Map<string, number>();
  #driftChecks: readonly DriftCheck[] = [];
  #polling = false;
  #batchesRemovedAt = 0;

  constructor(environment: MaintainerWorld, duePoller: Pick<DuePoller, 'add'>) {
    this.#environment = environment;
    const filter = { recount: { $gt: '' } };
    for (const { collection } of COUNTED_COLLECTIONS) {
      duePoller.add({
        question: () => (this.#partitions.size > 0 ? { collection, filter } : null),
        poll: () => void this.#poll(),
      });
    }
    runPeriodically(environment, {
      firstMs: POLL_EVERY_MS,
      everyMs: () => DRIFT_CHECK_EVERY_MS,
      failed: 'counter drift check failed',
      run: async () => {
        if (environment.leaseHeld() && !this.#polling) await this.#checkDrift();
      },
    });
  }

  acquire(partition: number): void {
    this.#partitions.add(partition);
    if (partition !== FIRST_PARTITION) return;
    this.#driftChecks = COUNTED_COLLECTIONS.map(
      (countedCollection) => new DriftCheck(this.#environment.store, countedCollection),
    );
  }

  release(partition: number): void {
    this.#partitions.delete(partition);
    if (partition === FIRST_PARTITION) this.#driftChecks = [];
  }

  request(request: RecountRequest): void {
    const key = `${request.collection}:${request.orgId}`;
    if (!request.doubted && this.#requests.has(key)) return;
    this.#requests.set(key, request);
    void this.#poll();
  }

  /** Repeats while documents are dirty or requests wait. */
  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    const { clock, log, leaseHeld } = this.#environment;
    try {
      while (leaseHeld() && ((await this.#pollOnce()) || this.#requests.size > 0)) {
        await new Promise<void>((resume) => clock.after(POLL_SOON_MS, resume));
      }
      // Everything is counted now: a later write by another program differs from this state.
      await this.#checkDrift();
    } catch (cause) {
      log.warn({ error: describe(cause) }, 'counter maintenance failed');
    } finally {
      this.#polling = false;
    }
  }

  /** Whether any document was dirty. */
  async #pollOnce(): Promise<boolean> {
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    for (const request of requests) await this.#serveRequest(request);
    let found = false;
    for (const countedCollection of COUNTED_COLLECTIONS)
      if (await this.#applyBatches(countedCollection)) found = true;
    return found;
  }

  async #checkDrift(): Promise<void> {
    const requests = new RecountRequests(this.#environment);
    for (const driftCheck of this.#driftChecks) {
      for (const { orgId } of await driftCheck.findDrifted())
        requests.requestRecount(driftCheck.countedCollection, orgId);
    }
    if (this.#driftChecks.length > 0) await this.#removeOldBatches();
  }

  #owns(orgId: string): boolean {
    return this.#partitions.has(partitionOf('organization', orgId));
  }

  /** One organization after the other, in the order of their ids. True if this process owns any. */
  async #applyBatches(countedCollection: CountedCollection): Promise<boolean> {
    const { store, clock, leaseHeld } = this.#environment;
    let last = '';
    let found = false;
    while (leaseHeld()) {
      const next = await nextDirty(store, countedCollection, last);
      if (next === null) break;
      last = next;
      if (!this.#owns(next)) continue;
      found = true;
      for (let applied = BATCH_MAX; applied === BATCH_MAX && leaseHeld(); ) {
        const counter = await readCounter(store, countedCollection, next);
        if (!counter) {
          await this.#recount(countedCollection, next);
          break;
        }
        applied = await applyBatch(store, countedCollection, { counter, now: clock.now() });
        await new Promise<void>((resume) => clock.after(BATCH_PAUSE_MS, resume));
      }
    }
    return found;
  }

  async #serveRequest({ collection, orgId, doubted }: RecountRequest): Promise<void> {
    const { store, clock } = this.#environment;
    const countedCollection = COUNTED_COLLECTIONS.find((each) => each.collection === collection);
    if (!countedCollection || !this.#owns(orgId)) return;
    const counter = doubted ? null : await readCounter(store, countedCollection, orgId);
    if (!counter || clock.now() - counter.checkedAt >= checkEveryMs(counter)) {
      await this.#recount(countedCollection, orgId);
    }
  }

  async #recount(countedCollection: CountedCollection, orgId: string): Promise<void> {
    const { store, clock, log } = this.#environment;
    const key = counterId(countedCollection, orgId);
    if (clock.now() < (this.#notBefore.get(key) ?? 0)) return;
    const recounted = await recountAll(store, countedCollection, { orgId, now: clock.now() });
    if (recounted) this.#notBefore.delete(key);
    else this.#notBefore.set(key, clock.now() + RECOUNT_RETRY_MS);
    if (!recounted?.corrected) return;
    log.warn({ orgId, collection: countedCollection.collection }, 'counter drift corrected');
  }

  async #removeOldBatches(): Promise<void> {
    const { store, clock } = this.#environment;
    const now = clock.now();
    if (now - this.#batchesRemovedAt < BATCH_RETENTION_MS / 6) return;
    this.#batchesRemovedAt = now;
    await purge(store, { collection: BATCHES, filter: { at: { $lt: now - BATCH_RETENTION_MS } } });
  }
}

async function nextDirty(
  store: Store,
  countedCollection: CountedCollection,
  after: string,
): Promise<string | null> {
  const next = await store.findOne<CountedDocument>(
    countedCollection.collection,
    { recount: { $gt: after } },
    { sort: { recount: 1 }, project: { recount: 1 } },
  );
  return next?.recount ?? null;
}

function checkEveryMs({ counts }: CounterDocument): number {
  const { least, most, perDocument } = CHECK_EVERY_MS;
  const documents = counts.reduce((sum, { n }) => sum + n, 0);
  return Math.min(most, Math.max(least, documents * perDocument));
}
