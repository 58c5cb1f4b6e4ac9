/**
 * Agenda of the subscriptions: a poller of due deliveries, and of breakers that an earlier owner
 * left active. The next owner of a partition finds both in MongoDB.
 *
 * 1. Nudges bring deliveries. The agenda finds those with a lost nudge, those that waited for their
 *    time, and those without room in the queue. One query every 5 s detects them all.
 * 2. The query excludes subscriptions with `LOW_WATER` queued deliveries: a backlog hides no other.
 * 3. A delayed nudge is not trusted: the store is read instead (`recent-revisions.ts`).
 */
import {
  DELIVERIES_IN_FLIGHT_PER_ORGANIZATION,
  DELIVERIES_IN_FLIGHT_PER_PROCESS,
  DELIVERIES_OVERFLOW_PER_ORGANIZATION,
  DELIVERIES_OVERFLOW_PER_PROCESS,
} from '../../shared/limits.ts';
import type { Filter } from '../../shared/ports/store.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { Batcher } from '../runtime/batcher.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { pagesOf } from '../runtime/pages.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { wakeBreakers } from './active-breakers.ts';
import { AttemptLog } from './attempt-log.ts';
import type { ClaimOnInsert, DeliveryClaimer } from './claim-on-insert.ts';
import { LOW_WATER } from './delivery-context.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import type { DeliveryDocument } from './documents.ts';
import { FairSemaphore } from './fair-semaphore.ts';
import { RecentRevisions, TRUSTED_MS } from './recent-revisions.ts';
import { RETENTION_EVERY_MS, removeExpiredDeliveries } from './retention.ts';
import { SubscriptionCache } from './subscription-cache.ts';

/** Time after the acquisition before nudges are trusted; clocks differ. */
const NUDGE_TRUSTED_AFTER_MS = 2 * TRUSTED_MS;
const POLL_SOON_MS = 20;
const PAGE = 1_000;
const PAGES_MAX = 10;
const IDLE_MS = 60_000;
/** Longer than any attempt, and than any tolerated outage of the store. */
const ATTEMPT_LOG_RETENTION_MS = 60 * 60_000;
/** A part of the lease of 3 s, which may get no renewal meanwhile. */
const DRAIN_MS = 1_000;

type DuePages = AsyncGenerator<readonly DeliveryDocument[], undefined>;

interface Partition {
  readonly epoch: number;
  /** Monotonic milliseconds. */
  readonly acquiredAt: number;
  readonly workers: Map<string, DeliveryWorker>;
  /**
   * Resolves when the claims of earlier owners are in the deliveries: no attempt starts earlier.
   */
  readonly opened: PromiseWithResolvers<void>;
  open: boolean;
}

export class DeliveryAgenda implements DeliveryClaimer {
  readonly #environment: Environment;
  readonly #revisions: RecentRevisions;
  readonly #cache: SubscriptionCache;
  readonly #attemptLog: AttemptLog;
  readonly #semaphore = new FairSemaphore(
    {
      perOrganization: DELIVERIES_IN_FLIGHT_PER_ORGANIZATION,
      perProcess: DELIVERIES_IN_FLIGHT_PER_PROCESS,
    },
    {
      perOrganization: DELIVERIES_OVERFLOW_PER_ORGANIZATION,
      perProcess: DELIVERIES_OVERFLOW_PER_PROCESS,
    },
  );
  readonly #partitions = new Map<number, Partition>();
  readonly #acquired = new Batcher((numbers: readonly number[]) => this.#recover(numbers));
  /** The rest of a reading that stopped at `PAGES_MAX`. */
  #pages: DuePages | null = null;
  #polling = false;
  #pollAgain = false;
  #retentionScheduled = false;

  constructor(environment: Environment, duePoller: Pick<DuePoller, 'add'>) {
    this.#environment = environment;
    this.#revisions = new RecentRevisions(environment.clock);
    this.#cache = new SubscriptionCache(environment);
    this.#attemptLog = new AttemptLog(environment);
    duePoller.add({
      question: () => {
        this.#closeIdleWorkers();
        void this.#attemptLog.removeSuperseded();
        const numbers = this.#openPartitions();
        return numbers.length > 0 ? { collection: 'deliveries', filter: this.#due(numbers) } : null;
      },
      poll: () => void this.#poll(),
    });
  }

  /** The worker of an owned subscription, once its partition is open. */
  async openWorker(subscriptionId: string): Promise<DeliveryWorker> {
    await this.#partitions.get(partitionOf('subscription', subscriptionId))?.opened.promise;
    return this.worker(subscriptionId);
  }

  worker(subscriptionId: string): DeliveryWorker {
    const partition = this.#partitions.get(partitionOf('subscription', subscriptionId));
    if (!partition) throw new Error('the partition of the subscription is not owned');
    const known = partition.workers.get(subscriptionId);
    if (known) return known;
    const worker = new DeliveryWorker({
      environment: this.#environment,
      subscriptionId,
      epoch: partition.epoch,
      semaphore: this.#semaphore,
      revisions: this.#revisions,
      attemptLog: this.#attemptLog,
      cache: this.#cache,
      onNeedsRefill: () => this.#pollSoon(),
    });
    partition.workers.set(subscriptionId, worker);
    return worker;
  }

  async acquire(number: number, epoch: number): Promise<void> {
    // A repeat after a failed read: the work under way continues.
    if (this.#partitions.get(number)?.epoch !== epoch) {
      this.release(number);
      const acquiredAt = this.#environment.clock.monotonic();
      const opened = Promise.withResolvers<void>();
      this.#partitions.set(number, { epoch, acquiredAt, workers: new Map(), opened, open: false });
    }
    this.#scheduleRetention();
    await this.#acquired.add(number);
  }

  /** Waits for attempts that end soon: the next owner then finds their outcomes on record. */
  async drain(number: number): Promise<void> {
    const workers = [...(this.#partitions.get(number)?.workers.values() ?? [])];
    await Promise.all(workers.map((worker) => worker.drain(DRAIN_MS)));
  }

  release(number: number): void {
    const partition = this.#partitions.get(number);
    for (const worker of partition?.workers.values() ?? []) worker.close();
    this.#partitions.delete(number);
    partition?.opened.resolve();
  }

  /** For a delivery that its organization's owner, in this process, is about to insert. */
  async claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null> {
    const partition = this.#partitions.get(delivery.partition);
    if (!partition || this.#isJustAcquired(partition)) return null;
    return this.worker(delivery.subscriptionId).claimOnInsert(delivery);
  }

  /** Accepts a delivery that was just recorded; an earlier owner may have attempted it. */
  nudge(delivery: DeliveryDocument): void {
    const partition = this.#partitions.get(delivery.partition);
    if (!partition) return;
    const ageMs = this.#environment.clock.now() - delivery.createdAt;
    if (this.#isJustAcquired(partition) || ageMs > TRUSTED_MS) return this.#pollSoon();
    this.worker(delivery.subscriptionId).add(delivery);
  }

  #isJustAcquired({ acquiredAt, open }: Partition): boolean {
    return !open || this.#environment.clock.monotonic() - acquiredAt < NUDGE_TRUSTED_AFTER_MS;
  }

  #scheduleRetention(): void {
    if (this.#retentionScheduled) return;
    this.#retentionScheduled = true;
    runPeriodically(this.#environment, {
      // Processes that started together must not run it together.
      firstMs: RETENTION_EVERY_MS * this.#environment.random.unit(),
      everyMs: () => RETENTION_EVERY_MS,
      failed: 'delivery retention failed',
      run: () => this.#applyRetention(),
    });
  }

  #pollSoon(): void {
    this.#environment.clock.after(POLL_SOON_MS, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#pollAgain = true;
    if (this.#polling) return;
    this.#polling = true;
    try {
      while (this.#pollAgain && this.#partitions.size > 0 && this.#environment.leaseHeld()) {
        this.#pollAgain = false;
        await this.#readDuePages();
      }
    } catch (cause) {
      this.#pages = null;
      this.#environment.log.warn({ error: describe(cause) }, 'poll of the delivery agenda failed');
    } finally {
      this.#polling = false;
    }
  }

  #openPartitions(): readonly number[] {
    return [...this.#partitions].flatMap(([number, { open }]) => (open ? [number] : []));
  }

  async #recover(numbers: readonly number[]): Promise<void> {
    const held = numbers.flatMap((number) => this.#partitions.get(number) ?? []);
    await this.#attemptLog.replay(numbers);
    for (const partition of held) {
      partition.open = true;
      partition.opened.resolve();
    }
    await Promise.all([
      wakeBreakers(this.#environment, numbers, ({ _id, partition }) => {
        if (this.#partitions.has(partition)) this.worker(_id).wake();
      }),
      this.#readPages(this.#pagesOf(() => numbers)),
    ]);
  }

  /** Due before the next poll, except for subscriptions with enough queued deliveries. */
  #due(numbers: readonly number[]): Filter {
    const saturated = [...this.#partitions.values()].flatMap(({ workers }) =>
      [...workers].flatMap(([id, worker]) => (worker.queued >= LOW_WATER ? [id] : [])),
    );
    return {
      'state.status': 'pending',
      partition: { $in: numbers },
      'state.nextAttemptAt': { $lte: this.#environment.clock.now() + POLL_EVERY_MS },
      ...(saturated.length > 0 ? { subscriptionId: { $nin: saturated } } : {}),
    };
  }

  /** Also continues a reading that stopped: deliveries that cannot be attempted hide no others. */
  async #readDuePages(): Promise<void> {
    if (this.#pages && (await this.#readPages(this.#pages))) this.#pages = null;
    const pages = this.#pagesOf(() => this.#openPartitions());
    if (!(await this.#readPages(pages))) this.#pages ??= pages;
  }

  #pagesOf(numbers: () => readonly number[]): DuePages {
    return pagesOf<DeliveryDocument>(this.#environment.store, {
      collection: 'deliveries',
      filter: () => this.#due(numbers()),
      by: {
        path: 'state.nextAttemptAt',
        of: ({ state }) => state.nextAttemptAt,
      },
      size: PAGE,
      index: { partition: 1, 'state.nextAttemptAt': 1, _id: 1 },
    });
  }

  /** False when it stopped at `PAGES_MAX`. */
  async #readPages(pages: DuePages): Promise<boolean> {
    for (let page = 0; page < PAGES_MAX; page++) {
      // A page read in one tenure of a partition may be stale in the next.
      const held = new Map(this.#partitions);
      let ended = false;
      await this.#revisions.withRead(
        async () => {
          const { value, done } = await pages.next();
          ended = done === true;
          return value ?? [];
        },
        (due) => {
          const isSameTenure = (n: number): boolean => held.get(n) === this.#partitions.get(n);
          for (const delivery of due) if (isSameTenure(delivery.partition)) this.#add(delivery);
        },
      );
      if (ended) return true;
    }
    return false;
  }

  #add(delivery: DeliveryDocument): void {
    if (this.#partitions.has(delivery.partition))
      this.worker(delivery.subscriptionId).add(delivery);
  }

  #closeIdleWorkers(): void {
    const before = this.#environment.clock.monotonic() - IDLE_MS;
    for (const { workers } of this.#partitions.values()) {
      for (const [id, worker] of workers) {
        if (worker.busy || worker.usedAt > before) continue;
        worker.close();
        workers.delete(id);
      }
    }
  }

  async #applyRetention(): Promise<void> {
    if (!this.#environment.leaseHeld()) return;
    const before = this.#environment.clock.now() - ATTEMPT_LOG_RETENTION_MS;
    await this.#attemptLog.replay(this.#openPartitions(), { before });
    await removeExpiredDeliveries(this.#environment, (number) => this.#partitions.has(number));
  }
}
