/**
 * Agenda of the subscriptions: a poller of due deliveries, and of breakers that an earlier owner
 * left active. The next owner of a partition finds both in MongoDB.
 *
 * 1. Nudges bring deliveries. One query every 5 s finds those with a lost nudge, those that waited
 *    for their time, and those without room in the queue.
 * 2. The query excludes subscriptions with `LOW_WATER` queued deliveries: a backlog hides no other.
 * 3. A delayed nudge is not trusted: the store is read instead (`documents.ts`).
 */

import {
  DELIVERIES_IN_FLIGHT_PER_ORGANIZATION,
  DELIVERIES_IN_FLIGHT_PER_PROCESS,
  DELIVERIES_OVERFLOW_PER_ORGANIZATION,
  DELIVERIES_OVERFLOW_PER_PROCESS,
} from '../../shared/limits.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { BreakerDocument, DeliveryDocument, StreamNudge } from '../model/subscription.ts';
import { Batcher, FairSemaphore } from '../runtime/concurrency.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { DueWork, type Pages } from '../runtime/due-work.ts';
import { OwnedPartitions, Tenure } from '../runtime/owned-partitions.ts';
import { pagesOf } from '../runtime/pages.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { onShelves, shelvesOf } from '../runtime/shelves.ts';
import { AttemptLog } from './deliveries/attempt-log.ts';
import type { ClaimOnInsert, DeliveryClaimer } from './deliveries/claim-on-insert.ts';
import { SubscriptionCache } from './deliveries/configuration.ts';
import { RecentRevisions, TRUSTED_MS } from './deliveries/documents.ts';
import { LOW_WATER } from './deliveries/queue.ts';
import { RETENTION_EVERY_MS, removeExpiredDeliveries } from './deliveries/retention.ts';
import { DeliveryWorker, type DeliveryWorkerSettings } from './deliveries/worker.ts';
import { Streams } from './streams/streams.ts';

const IN_FLIGHT = {
  perOrganization: DELIVERIES_IN_FLIGHT_PER_ORGANIZATION,
  perProcess: DELIVERIES_IN_FLIGHT_PER_PROCESS,
};
const OVERFLOW = {
  perOrganization: DELIVERIES_OVERFLOW_PER_ORGANIZATION,
  perProcess: DELIVERIES_OVERFLOW_PER_PROCESS,
};
/** Time after the acquisition before nudges are trusted; clocks differ. */
const NUDGE_TRUSTED_AFTER_MS = 2 * TRUSTED_MS;
const PAGE = 1_000;
const PAGES_MAX = 10;
/** Longer than any attempt, and than any tolerated outage of the store. */
const ATTEMPT_LOG_RETENTION_MS = 60 * 60_000;
/** A part of the lease of 3 s, which may get no renewal meanwhile. */
const DRAIN_MS = 1_000;

class DeliveryTenure extends Tenure<DeliveryWorker> {
  /** Monotonic milliseconds. */
  readonly acquiredAt: number;
  /** Resolves when earlier owners' claims are in the deliveries: no attempt starts earlier. */
  readonly opened = Promise.withResolvers<void>();
  isOpen = false;

  constructor(epoch: number, acquiredAt: number, make: (subscriptionId: string) => DeliveryWorker) {
    super(epoch, make);
    this.acquiredAt = acquiredAt;
  }

  open(): void {
    this.isOpen = true;
    this.opened.resolve();
  }

  override end(): void {
    super.end();
    this.opened.resolve();
  }
}

export class DeliveryAgenda implements DeliveryClaimer {
  readonly streams: Streams;
  readonly #environment: Environment;
  readonly #workerParts: Omit<DeliveryWorkerSettings, 'subscriptionId' | 'epoch'>;
  readonly #owned = new OwnedPartitions<DeliveryWorker, DeliveryTenure>((epoch) =>
    this.#begin(epoch),
  );
  readonly #due: DueWork<'deliveries', DeliveryDocument>;
  readonly #acquired = new Batcher((numbers: readonly number[]) => this.#recover(numbers));
  /** The rest of a read that stopped at `PAGES_MAX`. */
  #rest: Pages<DeliveryDocument> | null = null;
  #retentionScheduled = false;

  constructor(environment: Environment, duePoller: Pick<DuePoller, 'add'>) {
    this.#environment = environment;
    this.streams = new Streams(environment);
    const revisions = new RecentRevisions(environment.clock);
    this.#workerParts = {
      environment,
      revisions,
      semaphore: new FairSemaphore(IN_FLIGHT, OVERFLOW),
      attemptLog: new AttemptLog(environment),
      cache: new SubscriptionCache(environment),
      refill: () => this.#due.pollSoon(),
    };
    this.#due = new DueWork<'deliveries', DeliveryDocument>(environment, duePoller, {
      collection: 'deliveries',
      owned: this.#owned,
      // Due before the next poll.
      due: (numbers) => ({
        'state.status': 'pending',
        ...onShelves(this.#openOf(numbers)),
        'state.nextAttemptAt': { $lte: environment.clock.now() + POLL_EVERY_MS },
      }),
      key: { path: 'subscriptionId', saturated: () => this.#saturated() },
      pages: (filter) =>
        pagesOf(environment.store, {
          collection: 'deliveries',
          filter,
          by: { path: 'state.nextAttemptAt', of: ({ state }) => state.nextAttemptAt },
          size: PAGE,
          index: { partition: 1, 'state.nextAttemptAt': 1, _id: 1, place: 1 },
        }),
      pagesMax: PAGES_MAX,
      partitionOf: ({ subscriptionId }) => partitionOf('subscription', subscriptionId),
      work: (delivery) => this.#work(delivery),
      withRead: (read, apply) => revisions.withRead(read, apply),
      poll: () => this.#poll(),
      failedMessage: 'poll of the delivery agenda failed',
    });
    runPeriodically(environment, {
      firstMs: POLL_EVERY_MS,
      everyMs: () => POLL_EVERY_MS,
      failed: 'cleanup of the delivery agenda failed',
      run: () => this.#cleanUp(),
    });
  }

  /** The worker of an owned subscription, once its partition is open. */
  async openWorker(subscriptionId: string): Promise<DeliveryWorker> {
    await this.#owned.get(partitionOf('subscription', subscriptionId))?.opened.promise;
    return this.worker(subscriptionId);
  }

  worker(subscriptionId: string): DeliveryWorker {
    const tenure = this.#owned.get(partitionOf('subscription', subscriptionId));
    if (!tenure) throw new Error('the partition of the subscription is not owned');
    return tenure.of(subscriptionId);
  }

  async acquire(number: number, epoch: number): Promise<void> {
    // A repeat after a failed read: the work under way continues.
    this.#owned.acquire(number, epoch);
    this.streams.acquire(number, epoch);
    this.#scheduleRetention();
    await this.#acquired.add(number);
  }

  /** Waits for attempts that end soon: the next owner then finds their outcomes on record. */
  drain(number: number): Promise<void> {
    return this.#owned.drain(number, DRAIN_MS);
  }

  release(number: number): void {
    this.#owned.release(number);
    this.streams.release(number);
  }

  /** For a delivery that this process is about to insert. */
  async claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null> {
    const tenure = this.#owned.get(partitionOf('subscription', delivery.subscriptionId));
    if (!tenure || this.#isJustAcquired(tenure)) return null;
    return tenure.of(delivery.subscriptionId).claimOnInsert(delivery);
  }

  /** Accepts a delivery that was just recorded; an earlier owner may have attempted it. */
  nudge(delivery: DeliveryDocument | StreamNudge): void {
    if (isStreamNudge(delivery)) return this.streams.nudge(delivery);
    const tenure = this.#owned.get(partitionOf('subscription', delivery.subscriptionId));
    if (!tenure) return;
    const ageMs = this.#environment.clock.now() - delivery.createdAt;
    if (this.#isJustAcquired(tenure) || ageMs > TRUSTED_MS) return this.#due.pollSoon();
    tenure.of(delivery.subscriptionId).add(delivery);
  }

  #work(delivery: DeliveryDocument): void {
    if (delivery.order !== undefined) return this.streams.unschedule(delivery);
    // One without a place is found by its shelf: its own tenure may not be open yet.
    this.#openTenure(delivery.subscriptionId)?.of(delivery.subscriptionId).addRead(delivery);
  }

  #begin(epoch: number): DeliveryTenure {
    const newWorker = (subscriptionId: string): DeliveryWorker =>
      new DeliveryWorker({ ...this.#workerParts, subscriptionId, epoch });
    return new DeliveryTenure(epoch, this.#environment.clock.monotonic(), newWorker);
  }

  #isJustAcquired({ acquiredAt, isOpen }: DeliveryTenure): boolean {
    return !isOpen || this.#environment.clock.monotonic() - acquiredAt < NUDGE_TRUSTED_AFTER_MS;
  }

  #openTenure(subscriptionId: string): DeliveryTenure | null {
    const tenure = this.#owned.get(partitionOf('subscription', subscriptionId));
    return tenure?.isOpen ? tenure : null;
  }

  #openOf(numbers: readonly number[]): readonly number[] {
    return numbers.filter((number) => this.#owned.get(number)?.isOpen);
  }

  #saturated(): readonly string[] {
    const saturated = this.#owned.workers().filter(({ queued }) => queued >= LOW_WATER);
    return saturated.map(({ subscriptionId }) => subscriptionId);
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

  async #recover(numbers: readonly number[]): Promise<void> {
    const held = numbers.flatMap((number) => this.#owned.get(number) ?? []);
    await this.#workerParts.attemptLog.replay(numbers);
    for (const tenure of held) tenure.open();
    await Promise.all([
      wakeBreakers(this.#environment, numbers, ({ _id }) => this.#openTenure(_id)?.of(_id).wake()),
      this.#due.read(this.#due.pages(numbers)),
    ]);
  }

  /** Also continues a read that stopped: deliveries that cannot be attempted hide no others. */
  async #poll(): Promise<void> {
    const rest = this.#rest;
    this.#rest = null;
    if (rest && !(await this.#due.read(rest))) this.#rest = rest;
    const pages = this.#due.pages();
    if (!(await this.#due.read(pages))) this.#rest ??= pages;
  }

  async #cleanUp(): Promise<void> {
    for (const number of this.#owned.numbers) this.#owned.get(number)?.disposeIdle();
    this.streams.disposeIdle();
    await this.#workerParts.attemptLog.removeSuperseded();
  }

  async #applyRetention(): Promise<void> {
    if (!this.#environment.leaseHeld()) return;
    const before = this.#environment.clock.now() - ATTEMPT_LOG_RETENTION_MS;
    await this.#workerParts.attemptLog.replay(this.#openOf(this.#owned.numbers), { before });
    await removeExpiredDeliveries(this.#environment, (number) => !!this.#owned.get(number));
    await this.streams.sweep();
  }
}

const BREAKERS_PAGE = 500;

/** Wakes each active breaker of the partitions' shelves once; stops early when the lease ends. */
export async function wakeBreakers(
  { store, leaseHeld }: Pick<Environment, 'store' | 'leaseHeld'>,
  partitions: readonly number[],
  wake: (breaker: Pick<BreakerDocument, '_id'>) => void,
): Promise<void> {
  const pages = pagesOf(store, {
    collection: 'breakers',
    filter: () => ({ partition: { $in: shelvesOf(partitions) }, 'state.active': true }),
    by: { path: 'partition', of: ({ partition }) => partition },
    size: BREAKERS_PAGE,
    index: { partition: 1, _id: 1 },
    project: { partition: 1 },
  });
  for await (const page of pages) {
    if (!leaseHeld()) return;
    for (const breaker of page) wake(breaker);
  }
}

function isStreamNudge(nudge: DeliveryDocument | StreamNudge): nudge is StreamNudge {
  return !('_id' in nudge);
}
