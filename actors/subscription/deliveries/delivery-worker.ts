/**
 * Delivery worker of one subscription: no other code in the process changes its deliveries.
 *
 * 1. A change is made in memory, then written. It builds on earlier ones, whatever the write order.
 * 2. At most 8 POSTs are in flight (`Permits`), in slots that all subscriptions share. An accepted
 *    delivery holds neither while its success is recorded.
 * 3. While the breaker is open, due deliveries are parked without an attempt, and one probe at a
 *    time tests the subscriber. When it closes, they are unparked (`triage.ts`).
 * 4. A released worker starts nothing more; it still records what is in flight.
 */
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { Environment } from '../../environment.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import type { FairSemaphore, Waiter } from '../../runtime/concurrency.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { askUntilAcknowledged, RunAgain, sleepUntil, WakeTimer } from '../../runtime/repeat.ts';
import { admitNew, claimedByInsert, makeAttempt, recoverInDoubtInsert } from './attempt.ts';
import type { AttemptLog } from './attempt-log.ts';
import { AGAIN_MS, BreakerRecord } from './breaker-record.ts';
import type { ClaimOnInsert } from './claim-on-insert.ts';
import {
  ConfigurationSource,
  type SubscriptionCache,
  type SubscriptionConfiguration,
} from './configuration.ts';
import {
  type DeliveryContext,
  DeliveryQueue,
  isUntracked,
  LOW_WATER,
  nextDueMs,
  Permits,
  type ReadyDelivery,
} from './delivery-context.ts';
import type { RecentRevisions } from './documents.ts';
import { retryByHand } from './retry.ts';
import { triageDue } from './triage.ts';

/** A nearer retry waits in memory. */
const NEAR_MS = 30_000;
/** In flight at most, with successes not recorded yet: bounds memory while the store stalls. */
const UNRECORDED_MAX = 64;
const IDLE_MS = 60_000;
const DRAIN_EVERY_MS = 10;

/** `gone`: the subscriber answered 410. `failing`: five days without one success. */
type DisablingReason = 'gone' | 'failing';

export interface DeliveryWorkerSettings {
  readonly environment: Environment;
  readonly subscriptionId: string;
  readonly epoch: number;
  readonly semaphore: FairSemaphore;
  readonly revisions: RecentRevisions;
  readonly attemptLog: AttemptLog;
  readonly cache: SubscriptionCache;
  /** There is room again for deliveries of the agenda. */
  readonly onNeedsRefill: () => void;
}

export class DeliveryWorker implements Waiter {
  readonly subscriptionId: string;
  /** As of the last triage or claim-on-insert. */
  orgId = '';
  readonly #semaphore: FairSemaphore;
  readonly #onNeedsRefill: () => void;
  readonly #context: DeliveryContext;
  readonly #queue = new DeliveryQueue();
  /** As of the last triage or claim-on-insert. */
  #configuration: SubscriptionConfiguration | null = null;
  #closed = false;
  #draining = false;
  /** The store may hold due deliveries that are not queued here. */
  #needsRefill = false;
  readonly #triage = new RunAgain(
    () => this.#triageDue(),
    (fault) => {
      const fields = { subscriptionId: this.subscriptionId, error: describe(fault) };
      this.#context.environment.log.warn(fields, 'delivery triage failed');
      this.#timer.wakeIn(AGAIN_MS);
    },
  );
  readonly #permits: Permits;
  #disabling: Promise<void> | null = null;
  readonly #timer: WakeTimer;
  usedAt: number;

  constructor({ semaphore, cache, onNeedsRefill, ...of }: DeliveryWorkerSettings) {
    this.subscriptionId = of.subscriptionId;
    this.#semaphore = semaphore;
    this.#onNeedsRefill = onNeedsRefill;
    const source = new ConfigurationSource(of.environment, cache, of.subscriptionId);
    const breaker = new BreakerRecord(of.environment, of);
    this.#context = { ...of, source, breaker, queue: this.#queue, mayAct: () => this.#mayAct };
    this.#timer = new WakeTimer(of.environment.clock, () => this.wake());
    const onFree = () => void (this.canStart && semaphore.offer(this));
    this.#permits = new Permits({ semaphore, clock: of.environment.clock, onFree });
    this.usedAt = of.environment.clock.monotonic();
  }

  get canStart(): boolean {
    return this.#hasCapacity && this.#queue.ready > 0;
  }

  get #hasCapacity(): boolean {
    if (!this.#mayStart || !this.#permits.available) return false;
    return this.#queue.inFlight.size < UNRECORDED_MAX;
  }

  /** A new delivery would be the next to start. */
  get #isIdle(): boolean {
    if (this.#triage.isRunning || this.#needsRefill || this.#disabling !== null) return false;
    return this.#queue.runnable === 0 && this.#hasCapacity;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Unused for a minute: it holds no deliveries, and all of its work would come with a nudge. */
  get isDisposable(): boolean {
    const { environment, breaker } = this.#context;
    if (this.#queue.size + this.#queue.inFlight.size > 0 || this.#triage.isRunning) return false;
    return breaker.series === null && this.usedAt <= environment.clock.monotonic() - IDLE_MS;
  }

  get #mayAct(): boolean {
    return !this.#closed && this.#context.environment.leaseHeld();
  }

  get #mayStart(): boolean {
    return this.#mayAct && !this.#draining;
  }

  /** From a nudge or an operator. */
  add(delivery: DeliveryDocument): void {
    const { environment, revisions } = this.#context;
    if (this.#closed || !revisions.isNewer(delivery)) return;
    this.#needsRefill = !this.#queue.put(delivery, environment.clock.now()) || this.#needsRefill;
    this.wake();
  }

  /**
   * From the agenda. Its next page excludes a subscription with `LOW_WATER` queued deliveries, also
   * where the page before has queued them: the rest is read when they are gone, not with a poll.
   */
  addRead(delivery: DeliveryDocument): void {
    const before = this.queued;
    this.add(delivery);
    if (this.queued > before && this.queued >= LOW_WATER) this.#needsRefill = true;
  }

  /** Runs triage; once more if it is under way. */
  wake(): void {
    this.usedAt = this.#context.environment.clock.monotonic();
    if (this.#mayStart) void this.#triage.request();
  }

  reconfigure(): void {
    this.#context.source.invalidate();
    this.#queue.requeueReady();
    this.wake();
  }

  /** Claims a delivery that is about to be inserted; null: it is claimed in its turn. */
  async claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null> {
    const configuration = this.#isIdle ? await admitNew(this.#context) : null;
    if (!configuration || !this.#isIdle || !isUntracked(this.#context, delivery)) return null;
    if (!this.#semaphore.tryAcquire(configuration.orgId)) return null;
    this.usedAt = this.#context.environment.clock.monotonic();
    this.#configuration = configuration;
    this.orgId = configuration.orgId;
    const claimed = claimedByInsert(this.#context, delivery);
    const { promise: inserted, resolve: resolveInsert } = Promise.withResolvers<boolean>();
    this.#queue.inFlight.set(claimed._id, claimed);
    void this.#attempt({ delivery: claimed, probe: false, inserted }, configuration);
    return { delivery: claimed, resolveInsert };
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
    // Some of them may have found no room.
    this.#needsRefill ||= done.retried > 0;
    this.wake();
    return done;
  }

  start(): boolean {
    if (!this.canStart) return false;
    if (this.#context.breaker.open) {
      // The breaker has opened since triage.
      this.#queue.requeueReady();
      this.wake();
    }
    const configuration = this.#configuration;
    const started = configuration && this.#queue.dequeueReady();
    if (!started) return false;
    void this.#attempt({ ...started, inserted: null }, configuration);
    return true;
  }

  /** Starts nothing more; resolves when nothing is in flight, at the latest after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    const hasEnded = () => this.#queue.inFlight.size === 0;
    const wait = { everyMs: DRAIN_EVERY_MS, maxMs: ms };
    await sleepUntil(this.#context.environment.clock, hasEnded, wait);
  }

  close(): void {
    this.#closed = true;
    this.#timer.end();
    this.#semaphore.withdraw(this);
    this.#queue.empty();
  }

  async #triageDue(): Promise<void> {
    if (!this.#mayStart) return;
    await this.#disabling;
    this.#configuration = await triageDue(this.#context, this.#queue.probing);
    this.orgId = this.#configuration?.orgId ?? this.orgId;
    if (this.canStart) this.#semaphore.offer(this);
    const ms = nextDueMs(this.#context, this.#configuration?.entry.enabled === true);
    if (ms !== null) this.#timer.wakeIn(ms);
  }

  async #attempt(
    { delivery: started, probe, inserted }: ReadyDelivery & { inserted: Promise<boolean> | null },
    configuration: SubscriptionConfiguration,
  ): Promise<void> {
    const { inFlight } = this.#queue;
    const id = started._id;
    const permit = this.#permits.acquire(this.orgId);
    try {
      const end = await makeAttempt({
        ...this.#context,
        configuration: (!inserted && (await this.#context.source.read())) || configuration,
        probe,
        inserted,
        current: () => inFlight.get(id) ?? started,
        change: (next) => void inFlight.set(id, next),
        permit,
      });
      const finished = this.#queue.removeInFlight(id) ?? started;
      const add = (found: DeliveryDocument) => this.add(found);
      if (end === 'not_recorded') void recoverInDoubtInsert(this.#context, id, add);
      else this.#keep(finished);
      if (end === 'gone' || end === 'failing') this.#disable(end, configuration.orgId);
    } catch (fault) {
      // The agenda finds the delivery again at its provisional time.
      const { environment, revisions } = this.#context;
      // Older versions may still arrive, and a write without an answer may have been committed.
      revisions.remember(this.#queue.removeInFlight(id) ?? started);
      environment.log.warn({ deliveryId: id, error: describe(fault) }, 'delivery attempt failed');
    } finally {
      permit.release(false);
      this.#continue();
    }
  }

  /** Keeps a delivery that is due again soon. */
  #keep(delivery: DeliveryDocument): void {
    const { environment, revisions } = this.#context;
    const now = environment.clock.now();
    const { status, nextAttemptAt } = delivery.state;
    const near = status === 'pending' && (nextAttemptAt ?? now) - now < NEAR_MS;
    if (near && !this.#closed && this.#queue.put(delivery, now)) return;
    revisions.remember(delivery);
  }

  #continue(): void {
    const { queue, breaker } = this.#context;
    if (this.canStart) this.#semaphore.offer(this);
    if (queue.size > queue.ready || breaker.series !== null) this.wake();
    if (this.#needsRefill && queue.size < LOW_WATER) {
      this.#needsRefill = false;
      this.#onNeedsRefill();
    }
  }

  #disable(reason: DisablingReason, orgId: string): void {
    this.#queue.requeueReady();
    this.#disabling ??= this.#askToDisable(reason, orgId).finally(() => {
      this.#disabling = null;
      this.#context.source.invalidate();
      this.wake();
    });
  }

  async #askToDisable(reason: DisablingReason, orgId: string): Promise<void> {
    const { environment, subscriptionId, mayAct } = this.#context;
    environment.log.warn({ subscriptionId, orgId, reason }, LOG_EVENT.subscriptionDisabled);
    const id = environment.ids.fresh('cmd');
    await askUntilAcknowledged(environment, {
      to: { kind: 'organization', key: orgId },
      command: { id, type: 'disable-subscription', subscriptionId, reason },
      mayAct,
      failedMessage: 'disabling the subscription failed, retrying',
    });
  }
}
