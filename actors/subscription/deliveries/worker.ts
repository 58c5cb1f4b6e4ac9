/**
 * Delivery worker of one subscription: no other code in the process changes its deliveries.
 *
 * 1. A change is made in memory, then written. It builds on earlier ones, whatever the write order.
 * 2. What waits is in its state, without a store or a clock (`worker-state.ts`). Attempts start
 *    from there (`attempts.ts`).
 * 3. While the breaker is open, due deliveries are parked without an attempt, and one probe at a
 *    time tests the subscriber. When it closes, they are unparked (`triage.ts`).
 * 4. A released worker starts nothing more; it still records what is in flight.
 */
import type { DeliveryDocument } from '../../model/subscription.ts';
import type { FairSemaphore } from '../../runtime/concurrency.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { Worker } from '../../runtime/owned-partitions.ts';
import { RunAgain, sleepUntil, WakeTimer } from '../../runtime/repeat.ts';
import type { AttemptLog } from './attempt-log.ts';
import { Attempts } from './attempts.ts';
import { BreakerRecord } from './breaker-record.ts';
import type { ClaimOnInsert } from './claim-on-insert.ts';
import { ConfigurationSource, type SubscriptionCache } from './configuration.ts';
import { type DeliveryContext, type DeliveryEnvironment, nextDueMs } from './context.ts';
import { Disabling } from './disabling.ts';
import type { RecentRevisions } from './documents.ts';
import { AGAIN_MS } from './outage-series.ts';
import { retryByHand } from './retry.ts';
import { triageDue } from './triage.ts';
import { WorkerState } from './worker-state.ts';

const DRAIN_EVERY_MS = 10;

export interface DeliveryWorkerSettings {
  readonly environment: DeliveryEnvironment;
  readonly subscriptionId: string;
  readonly epoch: number;
  readonly semaphore: FairSemaphore;
  readonly revisions: RecentRevisions;
  readonly attemptLog: AttemptLog;
  readonly cache: SubscriptionCache;
  /** There is room again for deliveries of the agenda. */
  readonly refill: () => void;
}

export class DeliveryWorker implements Worker {
  readonly subscriptionId: string;
  readonly #context: DeliveryContext;
  readonly #state: WorkerState;
  readonly #attempts: Attempts;
  readonly #disabling: Disabling;
  readonly #timer: WakeTimer;
  readonly #triage = new RunAgain(
    () => this.#triageDue(),
    (fault) => {
      const fields = { subscriptionId: this.subscriptionId, error: describe(fault) };
      this.#context.environment.log.warn(fields, 'delivery triage failed');
      this.#timer.wakeIn(AGAIN_MS);
    },
  );

  constructor({ semaphore, cache, refill, ...of }: DeliveryWorkerSettings) {
    const { environment, subscriptionId } = of;
    this.subscriptionId = subscriptionId;
    const state = new WorkerState(environment.clock.monotonic());
    this.#state = state;
    const source = new ConfigurationSource(environment, cache, subscriptionId);
    const breaker = new BreakerRecord(environment, of);
    const mayAct = () => !state.isClosed && environment.leaseHeld();
    const context = { ...of, source, breaker, queue: state.queue, mayAct };
    this.#context = context;
    const wake = () => this.wake();
    this.#timer = new WakeTimer(environment.clock, wake);
    const disabling = new Disabling({
      ...{ environment, subscriptionId, mayAct },
      ended: () => {
        source.invalidate();
        wake();
      },
    });
    this.#disabling = disabling;
    this.#attempts = new Attempts({
      ...{ context, state, semaphore, wake, refill },
      isAtRest: () => !this.#triage.isRunning && disabling.underWay === null,
      add: (found) => this.add(found),
      disable: (reason, orgId) => {
        state.queue.requeueReady();
        disabling.begin(reason, orgId);
      },
    });
  }

  get queued(): number {
    return this.#state.queue.size;
  }

  /** Unused for a minute: it holds no deliveries, and all of its work would come with a nudge. */
  get isDisposable(): boolean {
    const { environment, breaker } = this.#context;
    if (this.#triage.isRunning || breaker.outage.name !== null) return false;
    return this.#state.isUnused(environment.clock.monotonic());
  }

  /** From a nudge or an operator. */
  add(delivery: DeliveryDocument): void {
    const { environment, revisions } = this.#context;
    if (this.#state.isClosed || !revisions.isNewer(delivery)) return;
    this.#state.add(delivery, environment.clock.now());
    this.wake();
  }

  /** From the agenda. */
  addRead(delivery: DeliveryDocument): void {
    const { environment, revisions } = this.#context;
    if (this.#state.isClosed || !revisions.isNewer(delivery)) return;
    this.#state.addRead(delivery, environment.clock.now());
    this.wake();
  }

  /** Runs triage; once more if it is under way. */
  wake(): void {
    const { environment } = this.#context;
    this.#state.use(environment.clock.monotonic());
    if (this.#state.mayStart && environment.leaseHeld()) void this.#triage.request();
  }

  reconfigure(): void {
    this.#context.source.invalidate();
    this.#state.queue.requeueReady();
    this.wake();
  }

  /** Claims a delivery that is about to be inserted; null: it is claimed in its turn. */
  claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null> {
    return this.#attempts.claimOnInsert(delivery);
  }

  async send(delivery: DeliveryDocument): Promise<void> {
    this.#context.source.invalidate();
    const { store } = this.#context.environment;
    const [outcome] = await store.commit([{ insert: 'deliveries', document: delivery }]);
    if (outcome?.ok) this.add(delivery);
    // A duplicate was sent by the same command.
    else if (outcome && 'error' in outcome) throw outcome.error;
  }

  /** By hand, as `send`: an operator applies a URL and retries at once (D45). */
  async retry(read: () => Promise<DeliveryDocument[]>) {
    this.#context.source.invalidate();
    const done = await retryByHand(this.#context, read);
    if (done.retried > 0) this.#state.leaveInStore();
    this.wake();
    return done;
  }

  /** Starts nothing more; resolves when nothing is in flight, at the latest after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#state.drain();
    const hasEnded = () => this.#state.queue.inFlight === 0;
    const wait = { everyMs: DRAIN_EVERY_MS, maxMs: ms };
    await sleepUntil(this.#context.environment.clock, hasEnded, wait);
  }

  close(): void {
    this.#state.close();
    this.#timer.end();
    this.#attempts.withdraw();
  }

  async #triageDue(): Promise<void> {
    const context = this.#context;
    if (!this.#state.mayStart || !context.environment.leaseHeld()) return;
    await this.#disabling.underWay;
    const configuration = await triageDue(context, this.#state.queue.probing);
    this.#attempts.configure(configuration);
    this.#attempts.offer();
    const ms = nextDueMs(context, configuration?.entry.enabled === true);
    if (ms !== null) this.#timer.wakeIn(ms);
  }
}
