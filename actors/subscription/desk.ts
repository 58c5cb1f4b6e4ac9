/**
 * The desk of one subscription: makes the attempts that are due, a few at a time.
 *
 * 1. An attempt is journaled before it is made (invariant 3): a crash may spend one.
 * 2. Of two owners only one can claim an attempt: every change compares the delivery's revision.
 * 3. At most 8 are in flight: a slow subscriber holds up nobody else.
 */
import { ASK_DEADLINE_MS, DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION } from '../../shared/limits.ts';
import type { PostOutcome } from '../../shared/ports.ts';
import {
  decideAttempt,
  decideOutcome,
  park,
  settleInterrupted,
  undeliverable,
} from '../domain/delivery.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import { type SubscriptionConfiguration, SubscriptionSource } from './configuration.ts';
import { changed, type DeliveryDocument, deliveryWrite } from './documents.ts';
import { postDelivery } from './post.ts';

/** Beyond these the agenda keeps them. */
const IN_MEMORY_MAX = 1_000;
/** A retry that is nearer than this is waited for in memory. */
const NEAR_MS = 30_000;

export class SubscriptionDesk {
  readonly #world: World;
  readonly #subscriptionId: string;
  readonly #source: SubscriptionSource;
  readonly #waiting = new Map<string, DeliveryDocument>();
  readonly #inFlight = new Set<string>();
  #closed = false;
  #cancelWake: (() => void) | null = null;

  constructor(world: World, subscriptionId: string) {
    this.#world = world;
    this.#subscriptionId = subscriptionId;
    this.#source = new SubscriptionSource(world, subscriptionId);
  }

  get full(): boolean {
    return this.#waiting.size >= IN_MEMORY_MAX;
  }

  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#waiting.size > 0;
  }

  add(delivery: DeliveryDocument): void {
    if (this.#closed || this.#inFlight.has(delivery._id)) return;
    const known = this.#waiting.get(delivery._id);
    if (known && known.revision >= delivery.revision) return;
    if (!known && this.full) return;
    this.#waiting.set(delivery._id, delivery);
    this.#pump();
  }

  close(): void {
    this.#closed = true;
    this.#cancelWake?.();
    this.#waiting.clear();
  }

  #pump(): void {
    const { clock, alive } = this.#world;
    const now = clock.now();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const [id, delivery] of this.#waiting) {
      if (this.#closed || !alive()) return;
      if (this.#inFlight.size >= DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION) return;
      const dueAt = delivery.nextAttemptAt ?? now;
      if (dueAt > now) {
        nextAt = Math.min(nextAt, dueAt);
        continue;
      }
      this.#waiting.delete(id);
      this.#inFlight.add(id);
      void this.#attempt(delivery).finally(() => {
        this.#inFlight.delete(id);
        this.#pump();
      });
    }
    this.#cancelWake?.();
    if (nextAt < Number.POSITIVE_INFINITY) {
      this.#cancelWake = clock.after(Math.max(1, nextAt - now), () => this.#pump());
    }
  }

  async #attempt(known: DeliveryDocument): Promise<void> {
    try {
      const configuration = await this.#source.current();
      const delivery = await this.#settleInterrupted(known);
      if (!delivery) return;
      if (!configuration) return void (await this.#write(delivery, undeliverable(delivery)));
      if (!configuration.entry.enabled && delivery.byHand === null) {
        return void (await this.#write(delivery, park(delivery)));
      }
      const { clock, chance, settings } = this.#world;
      const decision = decideAttempt(delivery, {
        now: clock.now(),
        schedule: settings.retrySchedule,
        unit: chance.unit(),
      });
      if (decision.decision !== 'attempt') return this.#keepForLater(delivery);
      const claimed = await this.#write(delivery, decision.delivery);
      if (!claimed || !this.#world.alive()) return;
      const outcome = await postDelivery(this.#world, configuration, claimed);
      await this.#record(claimed, outcome, configuration);
    } catch (fault) {
      // Whatever it was, the agenda finds the delivery again at its provisional time.
      this.#world.log.warn(
        { deliveryId: known._id, error: describe(fault) },
        'an attempt could not be made',
      );
    }
  }

  /** An attempt that another owner claimed and never recorded is written off first. */
  async #settleInterrupted(delivery: DeliveryDocument): Promise<DeliveryDocument | null> {
    const settled = settleInterrupted(delivery, this.#world.clock.now());
    if (!settled) return delivery;
    const written = await this.#write(delivery, settled.delivery);
    return written?.status === 'pending' ? written : null;
  }

  async #record(
    claimed: DeliveryDocument,
    outcome: PostOutcome,
    configuration: SubscriptionConfiguration,
  ): Promise<void> {
    const { clock, chance, settings, log } = this.#world;
    log.info(
      {
        deliveryId: claimed._id,
        orgId: claimed.orgId,
        event: claimed.event,
        attempt: claimed.counted,
        outcome: outcome.ok ? outcome.status : outcome.kind,
        ms: outcome.ms,
      },
      'attempt',
    );
    const context = { now: clock.now(), schedule: settings.retrySchedule, unit: chance.unit() };
    for (let delivery: DeliveryDocument | null = claimed; delivery; ) {
      const decision = decideOutcome(delivery, outcome, context);
      const written = await this.#write(delivery, decision.delivery);
      if (written) {
        if (decision.decision === 'gone') await this.#disable(configuration);
        return this.#keepForLater(written);
      }
      delivery = await this.#read(claimed._id);
    }
  }

  #keepForLater(delivery: DeliveryDocument): void {
    const { nextAttemptAt, status } = delivery;
    if (status !== 'pending' || nextAttemptAt === null || this.#closed || this.full) return;
    if (nextAttemptAt - this.#world.clock.now() < NEAR_MS) {
      this.#waiting.set(delivery._id, delivery);
    }
  }

  /** Null when somebody else has changed the delivery meanwhile. */
  async #write(
    delivery: DeliveryDocument,
    next: Parameters<typeof deliveryWrite>[1],
  ): Promise<DeliveryDocument | null> {
    const [written] = await this.#world.store.commit([deliveryWrite(delivery, next)]);
    if (written?.ok) return changed(delivery, next);
    if (written && 'error' in written) throw written.error;
    return null;
  }

  #read(deliveryId: string): Promise<DeliveryDocument | null> {
    return this.#world.store.findOne<DeliveryDocument>('deliveries', { _id: deliveryId });
  }

  async #disable({ orgId }: SubscriptionConfiguration): Promise<void> {
    const { bus, clock, ids } = this.#world;
    const command = {
      id: ids.fresh('cmd'),
      type: 'disable-subscription',
      subscriptionId: this.#subscriptionId,
      reason: 'gone',
    };
    const deadline = clock.now() + ASK_DEADLINE_MS;
    await bus.ask({ kind: 'organization', key: orgId }, command, { deadline });
  }
}
