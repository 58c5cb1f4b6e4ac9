/**
 * Attempts of one subscription's deliveries: when one may start, and what follows its end.
 *
 * 1. At most 8 POSTs are in flight (`Permits`), in slots that all subscriptions share. An accepted
 *    delivery holds neither while its success is recorded.
 * 2. One starts for each turn of the semaphore, or beside the insert of its delivery.
 * 3. Whatever becomes of it, its delivery leaves those in flight, and its permit is released.
 */
import type { DeliveryDocument } from '../../model/subscription.ts';
import type { FairSemaphore, Waiter } from '../../runtime/concurrency.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { admitNew, claimedByInsert, makeAttempt, recoverInDoubtInsert } from './attempt.ts';
import type { ClaimOnInsert } from './claim-on-insert.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { type DeliveryContext, isUntracked } from './context.ts';
import type { DisablingReason } from './disabling.ts';
import { Permits } from './permits.ts';
import type { ReadyDelivery } from './queue.ts';
import type { WorkerState } from './worker-state.ts';

/** A nearer retry waits in memory. */
const NEAR_MS = 30_000;

interface AttemptsSettings {
  readonly context: DeliveryContext;
  readonly state: Pick<
    WorkerState,
    'hasCapacity' | 'isClosed' | 'isEmpty' | 'queue' | 'takeRefill' | 'use'
  >;
  readonly semaphore: FairSemaphore;
  /** Nothing is under way that a new delivery has to wait for, as far as attempts do not know it. */
  readonly isAtRest: () => boolean;
  readonly add: (delivery: DeliveryDocument) => void;
  readonly wake: () => void;
  readonly disable: (reason: DisablingReason, orgId: string) => void;
  /** There is room again for deliveries of the agenda. */
  readonly refill: () => void;
}

export class Attempts implements Waiter {
  /** As of the last configuration. */
  orgId = '';
  #configuration: SubscriptionConfiguration | null = null;
  readonly #settings: AttemptsSettings;
  readonly #permits: Permits;

  constructor(settings: AttemptsSettings) {
    this.#settings = settings;
    const { semaphore, context } = settings;
    const onFree = () => this.offer();
    this.#permits = new Permits({ semaphore, clock: context.environment.clock, onFree });
  }

  get canStart(): boolean {
    return this.#hasCapacity && this.#settings.state.queue.ready > 0;
  }

  get #hasCapacity(): boolean {
    const { context, state } = this.#settings;
    return state.hasCapacity && this.#permits.available && context.environment.leaseHeld();
  }

  /** A new delivery would be the next to start. */
  get #isIdle(): boolean {
    const { isAtRest, state } = this.#settings;
    return isAtRest() && state.isEmpty && this.#hasCapacity;
  }

  /** Asks for a turn where one could start. */
  offer(): void {
    if (this.canStart) this.#settings.semaphore.offer(this);
  }

  /** Null when the subscription was removed. */
  configure(configuration: SubscriptionConfiguration | null): void {
    this.#configuration = configuration;
    this.orgId = configuration?.orgId ?? this.orgId;
  }

  start(): boolean {
    const { context, state, wake } = this.#settings;
    if (!this.canStart) return false;
    if (context.breaker.open) {
      // The breaker has opened since triage.
      state.queue.requeueReady();
      wake();
    }
    const configuration = this.#configuration;
    const started = configuration && state.queue.dequeueReady();
    if (!started) return false;
    void this.#attempt({ ...started, inserted: null }, configuration);
    return true;
  }

  /** Claims a delivery that is about to be inserted; null: it is claimed in its turn. */
  async claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null> {
    const { context, state, semaphore } = this.#settings;
    const configuration = this.#isIdle ? await admitNew(context) : null;
    if (!configuration || !this.#isIdle || !isUntracked(context, delivery)) return null;
    if (!semaphore.tryAcquire(configuration.orgId)) return null;
    state.use(context.environment.clock.monotonic());
    this.configure(configuration);
    const claimed = claimedByInsert(context, delivery);
    const { promise: inserted, resolve: resolveInsert } = Promise.withResolvers<boolean>();
    state.queue.hold(claimed);
    void this.#attempt({ delivery: claimed, probe: false, inserted }, configuration);
    return { delivery: claimed, resolveInsert };
  }

  withdraw(): void {
    this.#settings.semaphore.withdraw(this);
  }

  async #attempt(
    { delivery: started, probe, inserted }: ReadyDelivery & { inserted: Promise<boolean> | null },
    configuration: SubscriptionConfiguration,
  ): Promise<void> {
    const { context, add, disable } = this.#settings;
    const { environment, queue, revisions } = context;
    const id = started._id;
    const permit = this.#permits.acquire(this.orgId);
    try {
      const end = await makeAttempt({
        ...context,
        configuration: (!inserted && (await context.source.read())) || configuration,
        probe,
        inserted,
        current: () => queue.get(id) ?? started,
        change: (next) => queue.hold(next),
        permit,
      });
      const finished = queue.removeInFlight(id) ?? started;
      if (end === 'not_recorded') void recoverInDoubtInsert(context, id, add);
      else this.#keep(finished);
      if (end === 'gone' || end === 'failing') disable(end, configuration.orgId);
    } catch (fault) {
      // The agenda finds the delivery again at its provisional time.
      // Older versions may still arrive, and a write without an answer may have been committed.
      revisions.remember(queue.removeInFlight(id) ?? started);
      environment.log.warn({ deliveryId: id, error: describe(fault) }, 'delivery attempt failed');
    } finally {
      permit.release(false);
      this.#continue();
    }
  }

  /** Keeps a delivery that is due again soon. */
  #keep(delivery: DeliveryDocument): void {
    const { context, state } = this.#settings;
    const { environment, revisions, queue } = context;
    const now = environment.clock.now();
    const { status, nextAttemptAt } = delivery.state;
    const near = status === 'pending' && (nextAttemptAt ?? now) - now < NEAR_MS;
    if (near && !state.isClosed && queue.put(delivery, now)) return;
    revisions.remember(delivery);
  }

  #continue(): void {
    const { context, state, wake, refill } = this.#settings;
    const { queue, breaker } = context;
    this.offer();
    if (queue.size > queue.ready || breaker.outage.name !== null) wake();
    if (state.takeRefill()) refill();
  }
}
