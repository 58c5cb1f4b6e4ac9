/**
 * Maintainer of the counters, in the background. It counts dirty documents within moments, and
 * makes the counters that lists lack or doubt.
 *
 * 1. One process counts for an organization: its owner. Two at a change of owner do no harm: a
 *    counter document changes by compare-and-set.
 * 2. Dirty documents that are not counted yet make no total wrong (`totals.ts`).
 */
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { questionOf } from '../runtime/computed.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { purge } from '../runtime/purge.ts';
import { RunAgain, sleep } from '../runtime/repeat.ts';
import type { CountedCollection } from './counted-collection.ts';
import { COUNTED_COLLECTIONS } from './counted-collections.ts';
import { applyBatch, BATCH_MAX, BATCHES, counterId, readCounter } from './counter-document.ts';
import { isCorrected, recountAll } from './recount.ts';
import type { RecountRequest } from './recount-request.ts';

/** Between two polls while documents are dirty or requests wait. */
const POLL_SOON_MS = 1_000;
/** Its owner serves what belongs to no organization. */
const FIRST_PARTITION = 0;
/** A pause between two batches leaves the store to other work. */
const BATCH_PAUSE_MS = 20;
const BATCH_RETENTION_MS = 3_600_000;
const PURGE_EVERY_MS = BATCH_RETENTION_MS / 6;
/** Where documents change too fast for a recount, lists count them one by one meanwhile. */
const RECOUNT_RETRY_MS = 10_000;
const BY_ORGANIZATION = { sort: { recount: 1 }, project: { recount: 1 } } as const;

type MaintainerWorld = Pick<Environment, 'store' | 'clock' | 'log' | 'leaseHeld'>;

export class CounterMaintainer {
  readonly #environment: MaintainerWorld;
  /** Owned partitions of organizations. */
  readonly #partitions = new Set<number>();
  /** Both by counter: one for each collection of an owned organization. */
  readonly #requests = new Map<string, RecountRequest>();
  readonly #notBefore = new Map<string, number>();
  readonly #polling = new RunAgain(
    () => this.#pollUntilClean(),
    (fault) => this.#environment.log.warn({ error: describe(fault) }, 'counter maintenance failed'),
  );

  constructor(environment: MaintainerWorld, duePoller: Pick<DuePoller, 'add'>) {
    this.#environment = environment;
    const filter = { recount: { $gt: '' } };
    for (const { collection } of COUNTED_COLLECTIONS) {
      duePoller.add({
        question: () => (this.#partitions.size > 0 ? questionOf(collection, filter) : null),
        // A poll under way goes on until no document is dirty.
        poll: () => void (this.#polling.isRunning || this.#polling.request()),
      });
    }
    runPeriodically(environment, {
      firstMs: PURGE_EVERY_MS,
      everyMs: () => PURGE_EVERY_MS,
      failed: 'purge of counter batches failed',
      run: () => this.#removeOldBatches(),
    });
  }

  acquire(partition: number): void {
    this.#partitions.add(partition);
  }

  release(partition: number): void {
    this.#partitions.delete(partition);
  }

  request(request: RecountRequest): void {
    const key = `${request.collection}:${request.orgId}`;
    if (!request.doubted && this.#requests.has(key)) return;
    this.#requests.set(key, request);
    void this.#polling.request();
  }

  /** Repeats while documents are dirty or requests wait. */
  async #pollUntilClean(): Promise<void> {
    const { clock, leaseHeld } = this.#environment;
    while (leaseHeld() && ((await this.#pollOnce()) || this.#requests.size > 0)) {
      await sleep(clock, POLL_SOON_MS);
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

  #owns(orgId: string): boolean {
    return this.#partitions.has(partitionOf('organization', orgId));
  }

  /** One organization after the other, in the order of their ids. True if this process owns any. */
  async #applyBatches(countedCollection: CountedCollection): Promise<boolean> {
    const { store, clock, leaseHeld } = this.#environment;
    const { collection } = countedCollection;
    let last = '';
    let found = false;
    while (leaseHeld()) {
      const filter = { recount: { $gt: last } };
      const dirty = await store.findOne(collection, filter, BY_ORGANIZATION);
      if (dirty?.recount === undefined) break;
      last = dirty.recount;
      if (!this.#owns(last)) continue;
      found = true;
      for (let applied = BATCH_MAX; applied === BATCH_MAX && leaseHeld(); ) {
        const counter = await readCounter(store, countedCollection, last);
        if (!counter) {
          await this.#recount(countedCollection, last);
          break;
        }
        applied = await applyBatch(store, countedCollection, { counter, now: clock.now() });
        await sleep(clock, BATCH_PAUSE_MS);
      }
    }
    return found;
  }

  async #serveRequest({ collection, orgId, doubted }: RecountRequest): Promise<void> {
    const { store } = this.#environment;
    const countedCollection = COUNTED_COLLECTIONS.find((each) => each.collection === collection);
    if (!countedCollection || !this.#owns(orgId)) return;
    if (doubted || !(await readCounter(store, countedCollection, orgId))) {
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
    if (recounted && isCorrected(recounted))
      log.warn({ orgId, collection: countedCollection.collection }, 'counter corrected');
  }

  async #removeOldBatches(): Promise<void> {
    const { store, clock, leaseHeld } = this.#environment;
    if (!leaseHeld() || !this.#partitions.has(FIRST_PARTITION)) return;
    const filter = { at: { $lt: clock.now() - BATCH_RETENTION_MS } };
    await purge(store, { collection: BATCHES, filter });
  }
}
