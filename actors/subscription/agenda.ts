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
import { pagesOf } from '../runtime/pages.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { onShelves, shelvesOf } from '../runtime/shelves.ts';
import { AttemptLog } from './deliveries/attempt-log.ts';
import type { ClaimOnInsert, DeliveryClaimer } from './deliveries/claim-on-insert.ts';
import { SubscriptionCache } from './deliveries/configuration.ts';
import { RecentRevisions, TRUSTED_MS } from './deliveries/documents.ts';
import { DeliveryRetention } from './deliveries/retention.ts';
import { DeliveryTenures } from './deliveries/tenures.ts';
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
const PAGE = 1_000;
const PAGES_MAX = 10;
/** A part of the lease of 3 s, which may get no renewal meanwhile. */
const DRAIN_MS = 1_000;

export class DeliveryAgenda implements DeliveryClaimer {
  readonly streams: Streams;
  readonly #environment: Environment;
  readonly #workerParts: Omit<DeliveryWorkerSettings, 'subscriptionId' | 'epoch'>;
  readonly #owned: DeliveryTenures;
  readonly #due: DueWork<'deliveries', DeliveryDocument>;
  readonly #acquired = new Batcher((numbers: readonly number[]) => this.#recover(numbers));
  /** The rest of a read that stopped at `PAGES_MAX`. */
  #unreadPages: Pages<DeliveryDocument> | null = null;
  readonly #retention: DeliveryRetention;

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
    const newWorker = (subscriptionId: string, epoch: number): DeliveryWorker =>
      new DeliveryWorker({ ...this.#workerParts, subscriptionId, epoch });
    this.#owned = new DeliveryTenures(environment.clock, newWorker);
    this.#retention = new DeliveryRetention(environment, {
      owned: this.#owned,
      attemptLog: this.#workerParts.attemptLog,
      sweepStreams: () => this.streams.sweep(),
    });
    this.#due = new DueWork<'deliveries', DeliveryDocument>(environment, duePoller, {
      collection: 'deliveries',
      owned: this.#owned,
      // Due before the next poll.
      due: (numbers) => ({
        'state.status': 'pending',
        ...onShelves(this.#owned.openNumbers(numbers)),
        'state.nextAttemptAt': { $lte: environment.clock.now() + POLL_EVERY_MS },
      }),
      key: { path: 'subscriptionId', saturated: () => this.#owned.saturated() },
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
    await this.#owned.of(subscriptionId)?.opened.promise;
    const tenure = this.#owned.of(subscriptionId);
    if (!tenure) throw new Error('the partition of the subscription is not owned');
    return tenure.of(subscriptionId);
  }

  async acquire(number: number, epoch: number): Promise<void> {
    // A repeat after a failed read: the work under way continues.
    this.#owned.acquire(number, epoch);
    this.streams.acquire(number, epoch);
    this.#retention.start();
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
    const tenure = this.#owned.of(delivery.subscriptionId);
    if (!tenure || tenure.isJustAcquired(this.#environment.clock.monotonic())) return null;
    return tenure.of(delivery.subscriptionId).claimOnInsert(delivery);
  }

  /** Accepts a delivery that was just recorded; an earlier owner may have attempted it. */
  nudge(delivery: DeliveryDocument | StreamNudge): void {
    if (isStreamNudge(delivery)) return this.streams.nudge(delivery);
    const tenure = this.#owned.of(delivery.subscriptionId);
    if (!tenure) return;
    const { clock } = this.#environment;
    const ageMs = clock.now() - delivery.createdAt;
    const isTrusted = !tenure.isJustAcquired(clock.monotonic()) && ageMs <= TRUSTED_MS;
    if (!isTrusted) return this.#due.pollSoon();
    tenure.of(delivery.subscriptionId).add(delivery);
  }

  #work(delivery: DeliveryDocument): void {
    if (delivery.order !== undefined) return this.streams.unschedule(delivery);
    // One without a place is found by its shelf: its own tenure may not be open yet.
    this.#owned.ofOpen(delivery.subscriptionId)?.of(delivery.subscriptionId).addRead(delivery);
  }

  async #recover(numbers: readonly number[]): Promise<void> {
    const held = numbers.flatMap((number) => this.#owned.get(number) ?? []);
    await this.#workerParts.attemptLog.replay(numbers);
    for (const tenure of held) tenure.open();
    await Promise.all([
      wakeBreakers(this.#environment, numbers, ({ _id }) =>
        this.#owned.ofOpen(_id)?.of(_id).wake(),
      ),
      this.#due.read(this.#due.pages(numbers)),
    ]);
  }

  /** Also continues a read that stopped: deliveries that cannot be attempted hide no others. */
  async #poll(): Promise<void> {
    const unread = this.#unreadPages;
    this.#unreadPages = null;
    if (unread && !(await this.#due.read(unread))) this.#unreadPages = unread;
    const pages = this.#due.pages();
    if (!(await this.#due.read(pages))) this.#unreadPages ??= pages;
  }

  async #cleanUp(): Promise<void> {
    for (const number of this.#owned.numbers) this.#owned.get(number)?.disposeIdle();
    this.streams.disposeIdle();
    await this.#workerParts.attemptLog.removeSuperseded();
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
