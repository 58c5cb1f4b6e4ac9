/**
 * The desk of one subscription: the only place in the process that changes its deliveries.
 *
 * 1. A delivery is changed here in memory first, at once, and then written: of two changes the
 *    later one knows the earlier one, in whatever order they arrive in the store (documents).
 * 2. At most 8 are posted at once (gate), and only in slots that all subscriptions share (slots).
 *    What the subscriber has taken holds neither, while its success is being written down.
 * 3. While the breaker is open, what is due is parked without spending an attempt, and one probe at
 *    a time finds out whether the subscriber is back; then what was parked is taken up (judge).
 * 4. A desk that is given up starts nothing more; what is in flight is still recorded.
 */

import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import { AGAIN_MS, Alarm } from './alarm.ts';
import { type AttemptEnd, makeAttempt, type UnderWay } from './attempt.ts';
import { type Bench, LOW_WATER } from './bench.ts';
import { BreakerRecord } from './breaker-record.ts';
import type { ClaimLog } from './claim-log.ts';
import { type SubscriptionConfiguration, SubscriptionSource } from './configuration.ts';
import { type DisablingReason, insistOnDisabling } from './disable.ts';
import type { DeliveryDocument } from './documents.ts';
import { idleMs } from './idle.ts';
import { judgeDue } from './judge.ts';
import {
  claimedByInsert,
  isUnknown,
  lookAgain,
  openToNew,
  type Reservation,
} from './reservation.ts';
import { retryByHand } from './retry.ts';
import { Seats } from './seat.ts';
import type { Settled } from './settled.ts';
import type { SubscriptionShelf } from './shelf.ts';
import type { Slots, Turner } from './slots.ts';
import { type Cleared, Tray } from './tray.ts';

/** A retry that is nearer than this is waited for in memory. */
const NEAR_MS = 30_000;
/** Successes that wait to be written down; a store that stands still must not gather more. */
const UNRECORDED_MAX = 64;
const REST_STEP_MS = 10;

export interface DeskSettings {
  readonly world: World;
  readonly subscriptionId: string;
  readonly epoch: number;
  readonly slots: Slots;
  readonly settled: Settled;
  readonly claims: ClaimLog;
  readonly shelf: SubscriptionShelf;
  /** There is room again for what the agenda keeps. */
  readonly onHungry: () => void;
}

type Launch = Cleared & Pick<UnderWay, 'inserted'>;

export class SubscriptionDesk implements Turner {
  readonly #slots: Slots;
  readonly #onHungry: () => void;
  readonly #bench: Bench;
  readonly #tray = new Tray();
  /** As of the last judgement. */
  #configuration: SubscriptionConfiguration | null = null;
  #orgId = '';
  #closed = false;
  #resting = false;
  #hungry = false;
  #judging = false;
  #judgeAgain = false;
  readonly #seats: Seats;
  #disabling: Promise<void> | null = null;
  readonly #alarm: Alarm;
  usedAt: number;

  constructor({ slots, shelf, onHungry, ...of }: DeskSettings) {
    this.#slots = slots;
    this.#onHungry = onHungry;
    const source = new SubscriptionSource(of.world, shelf, of.subscriptionId);
    const breaker = new BreakerRecord(of.world, of);
    this.#bench = { ...of, source, breaker, tray: this.#tray, acting: () => this.#acting };
    this.#alarm = new Alarm(of.world.clock, () => this.wake());
    const onFree = () => void (this.eager && slots.offer(this));
    this.#seats = new Seats({ slots, clock: of.world.clock, onFree });
    this.usedAt = of.world.clock.monotonic();
  }

  get orgId(): string {
    return this.#orgId;
  }

  get eager(): boolean {
    return this.#roomy && this.#tray.cleared > 0;
  }

  get #roomy(): boolean {
    const { inFlight } = this.#tray;
    return this.#starting && this.#seats.free && inFlight.size < UNRECORDED_MAX;
  }

  /** Nothing is to be done before what is new. */
  get #isFree(): boolean {
    const judged = !this.#judging && !this.#hungry && this.#disabling === null;
    return judged && this.#tray.waiting === 0 && this.#roomy;
  }

  /** How many deliveries wait here. */
  get held(): number {
    return this.#tray.held;
  }

  /** It has something in hand, or something to do without being told. */
  get busy(): boolean {
    const waiting = this.#tray.held + this.#tray.inFlight.size;
    return waiting > 0 || this.#judging || this.#bench.breaker.series !== null;
  }

  get #acting(): boolean {
    return !this.#closed && this.#bench.world.leaseHeld();
  }

  get #starting(): boolean {
    return this.#acting && !this.#resting;
  }

  /** A delivery from the agenda, a nudge or an operator. */
  add(delivery: DeliveryDocument): void {
    const { world, settled } = this.#bench;
    if (this.#closed || !settled.isNews(delivery)) return;
    this.#hungry = !this.#tray.put(delivery, world.clock.now()) || this.#hungry;
    this.wake();
  }

  /** Looks at what there is to do. */
  wake(): void {
    this.usedAt = this.#bench.world.clock.monotonic();
    this.#judgeAgain = true;
    if (!this.#judging && this.#starting) void this.#judge();
  }

  /** The subscription was configured anew. */
  reconfigure(): void {
    this.#bench.source.forget();
    this.#tray.recall();
    this.wake();
  }

  /** Claims a delivery that is about to be inserted; null: its turn comes later. */
  async reserve(delivery: DeliveryDocument): Promise<Reservation | null> {
    const configuration = this.#isFree ? await openToNew(this.#bench) : null;
    if (!configuration || !this.#isFree || !isUnknown(this.#bench, delivery)) return null;
    if (!this.#slots.take(configuration.orgId)) return null;
    this.usedAt = this.#bench.world.clock.monotonic();
    this.#configuration = configuration;
    this.#orgId = configuration.orgId;
    const claimed = claimedByInsert(this.#bench, delivery);
    const { promise: inserted, resolve: settle } = Promise.withResolvers<boolean>();
    this.#tray.inFlight.set(claimed._id, claimed);
    void this.#attempt({ delivery: claimed, probe: false, inserted }, configuration);
    return { delivery: claimed, settle };
  }

  /** Records a new delivery and sends it at once. */
  async send(delivery: DeliveryDocument): Promise<void> {
    const { store } = this.#bench.world;
    const [outcome] = await store.commit([{ insert: 'deliveries', document: delivery }]);
    if (outcome?.ok) this.add(delivery);
    // One that is there already was sent by the same command.
    else if (outcome && 'error' in outcome) throw outcome.error;
  }

  async retry(read: () => Promise<DeliveryDocument[]>) {
    const done = await retryByHand(this.#bench, read);
    // Not all of them may have found room.
    this.#hungry ||= done.retried > 0;
    this.wake();
    return done;
  }

  start(): boolean {
    if (!this.eager) return false;
    if (this.#bench.breaker.open) {
      // It has opened since they were cleared.
      this.#tray.recall();
      this.wake();
    }
    const configuration = this.#configuration;
    const launched = configuration && this.#tray.launch();
    if (!launched) return false;
    void this.#attempt({ ...launched, inserted: null }, configuration);
    return true;
  }

  /** Starts nothing more; resolves when what is in flight has ended, at the latest after `ms`. */
  async rest(ms: number): Promise<void> {
    this.#resting = true;
    const { clock } = this.#bench.world;
    const until = clock.monotonic() + ms;
    while (this.#tray.inFlight.size > 0 && clock.monotonic() < until) {
      await new Promise<void>((resume) => clock.after(REST_STEP_MS, resume));
    }
  }

  close(): void {
    this.#closed = true;
    this.#alarm.end();
    this.#slots.withdraw(this);
    this.#tray.empty();
  }

  async #judge(): Promise<void> {
    this.#judging = true;
    try {
      while (this.#judgeAgain && this.#starting) {
        this.#judgeAgain = false;
        await this.#disabling;
        this.#configuration = await judgeDue(this.#bench, this.#tray.probing);
        this.#orgId = this.#configuration?.orgId ?? this.#orgId;
        if (this.eager) this.#slots.offer(this);
      }
      const ms = idleMs(this.#bench, this.#configuration?.entry.enabled === true);
      if (ms !== null) this.#alarm.set(ms);
    } catch (fault) {
      const { world, subscriptionId } = this.#bench;
      world.log.warn({ subscriptionId, error: describe(fault) }, 'could not see to deliveries');
      this.#alarm.set(AGAIN_MS);
    } finally {
      this.#judging = false;
    }
  }

  async #attempt(
    { delivery: launched, probe, inserted }: Launch,
    configuration: SubscriptionConfiguration,
  ): Promise<void> {
    const { inFlight } = this.#tray;
    const { _id: id } = launched;
    const seat = this.#seats.take(this.#orgId);
    try {
      const end = await makeAttempt({
        ...this.#bench,
        configuration: (!inserted && (await this.#bench.source.current())) || configuration,
        probe,
        inserted,
        current: () => inFlight.get(id) ?? launched,
        change: (next) => void inFlight.set(id, next),
        seat,
      });
      const landed = this.#tray.land(id) ?? launched;
      if (end === 'not_recorded') void lookAgain(this.#bench, id, (found) => this.add(found));
      else this.#keep(landed);
      this.#disableAfter(end, configuration.orgId);
    } catch (fault) {
      // Whatever it was, the agenda finds the delivery again at its provisional time.
      const landed = this.#tray.land(id) ?? launched;
      const { world, settled } = this.#bench;
      // Older pictures of it may still be on their way, and what had no answer may have landed.
      settled.note(landed);
      world.log.warn({ deliveryId: id, error: describe(fault) }, 'an attempt could not be made');
    } finally {
      seat.leave(false);
      this.#goOn();
    }
  }

  /** What is soon due again stays in hand. */
  #keep(delivery: DeliveryDocument): void {
    const { world, settled } = this.#bench;
    const now = world.clock.now();
    const { status, nextAttemptAt } = delivery.state;
    const near = status === 'pending' && (nextAttemptAt ?? now) - now < NEAR_MS;
    if (near && !this.#closed && this.#tray.put(delivery, now)) return;
    settled.note(delivery);
  }

  #goOn(): void {
    const { tray, breaker } = this.#bench;
    if (this.eager) this.#slots.offer(this);
    if (tray.held > tray.cleared || breaker.series !== null) this.wake();
    if (this.#hungry && tray.held < LOW_WATER) {
      this.#hungry = false;
      this.#onHungry();
    }
  }

  #disableAfter(end: AttemptEnd, orgId: string): void {
    if (end !== 'gone' && end !== 'failing') return;
    const reason: DisablingReason = end;
    this.#tray.recall();
    this.#disabling ??= insistOnDisabling(this.#bench, { orgId, reason }).finally(() => {
      this.#disabling = null;
      this.#bench.source.forget();
      this.wake();
    });
  }
}
