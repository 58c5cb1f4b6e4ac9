/**
 * The agenda of the subscriptions: due deliveries, found again in MongoDB by whoever owns the
 * partition next, and breakers that were open when the owner before ended.
 *
 * 1. Deliveries come by nudges; the agenda finds those whose nudge was lost, those that waited for
 *    their time, and those that found no room: one query every 5 s, whatever there is to do.
 * 2. A subscription with enough in hand is left out of it: a backlog hides nobody else's.
 * 3. A nudge that was long on its way is not taken at its word (settled).
 */
import {
  DELIVERIES_ASIDE_PER_ORGANIZATION,
  DELIVERIES_ASIDE_PER_PROCESS,
  DELIVERIES_IN_FLIGHT_PER_ORGANIZATION,
  DELIVERIES_IN_FLIGHT_PER_PROCESS,
} from '../../shared/limits.ts';
import type { Filter } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import { Batcher } from '../runtime/batcher.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { describe } from '../runtime/mailbox.ts';
import { pagesOf } from '../runtime/pages.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import type { World } from '../world.ts';
import { wakeBreakers } from './active-breakers.ts';
import { LOW_WATER } from './bench.ts';
import { ClaimLog } from './claim-log.ts';
import { SubscriptionDesk } from './desk.ts';
import type { DeliveryDocument } from './documents.ts';
import type { Reservation, Reservations } from './reservation.ts';
import { Settled, TRUSTED_MS } from './settled.ts';
import { SubscriptionShelf } from './shelf.ts';
import { Slots } from './slots.ts';
import { SWEEP_EVERY_MS, sweepDeliveries } from './sweep.ts';

/** A nudge that is trusted after it was made in it; clocks differ. */
const OWN_TIME_MS = 2 * TRUSTED_MS;
const LOOK_SOON_MS = 20;
const PAGE = 1_000;
const PAGES_MAX = 10;
const IDLE_MS = 60_000;
/** Longer than any attempt, and than the store may be away. */
const CLAIMS_KEPT_MS = 60 * 60_000;
/** Of a lease of 3 s, which is not renewed meanwhile. */
const REST_MS = 1_000;

type DuePages = AsyncGenerator<readonly DeliveryDocument[], undefined>;

interface Partition {
  readonly epoch: number;
  /** Monotonic milliseconds. */
  readonly takenAt: number;
  readonly desks: Map<string, SubscriptionDesk>;
  /** What owners before have claimed is written out: nothing is attempted earlier. */
  readonly opened: PromiseWithResolvers<void>;
  open: boolean;
}

export class DeliveryAgenda implements Reservations {
  readonly #world: World;
  readonly #settled: Settled;
  readonly #shelf: SubscriptionShelf;
  readonly #claims: ClaimLog;
  readonly #slots = new Slots(
    {
      perOrganization: DELIVERIES_IN_FLIGHT_PER_ORGANIZATION,
      perProcess: DELIVERIES_IN_FLIGHT_PER_PROCESS,
    },
    {
      perOrganization: DELIVERIES_ASIDE_PER_ORGANIZATION,
      perProcess: DELIVERIES_ASIDE_PER_PROCESS,
    },
  );
  readonly #partitions = new Map<number, Partition>();
  readonly #taken = new Batcher((numbers: readonly number[]) => this.#recover(numbers));
  /** Of a reading that was cut short. */
  #pages: DuePages | null = null;
  #looking = false;
  #lookAgain = false;
  #sweeping = false;

  constructor(world: World, duePoller: Pick<DuePoller, 'add'>) {
    this.#world = world;
    this.#settled = new Settled(world.clock);
    this.#shelf = new SubscriptionShelf(world);
    this.#claims = new ClaimLog(world);
    duePoller.add({
      question: () => {
        this.#forgetIdle();
        void this.#claims.tidy();
        const numbers = this.#openOnes();
        return numbers.length > 0 ? { collection: 'deliveries', filter: this.#due(numbers) } : null;
      },
      poll: () => void this.#look(),
    });
  }

  /** Of a subscription whose partition is owned. */
  async open(subscriptionId: string): Promise<SubscriptionDesk> {
    await this.#partitions.get(partitionOf('subscription', subscriptionId))?.opened.promise;
    return this.desk(subscriptionId);
  }

  desk(subscriptionId: string): SubscriptionDesk {
    const partition = this.#partitions.get(partitionOf('subscription', subscriptionId));
    if (!partition) throw new Error('the partition of the subscription is not owned');
    const known = partition.desks.get(subscriptionId);
    if (known) return known;
    const desk = new SubscriptionDesk({
      world: this.#world,
      subscriptionId,
      epoch: partition.epoch,
      slots: this.#slots,
      settled: this.#settled,
      claims: this.#claims,
      shelf: this.#shelf,
      onHungry: () => this.#lookSoon(),
    });
    partition.desks.set(subscriptionId, desk);
    return desk;
  }

  async take(number: number, epoch: number): Promise<void> {
    // Asked again, after a read that failed: what is under way goes on.
    if (this.#partitions.get(number)?.epoch !== epoch) {
      this.giveUp(number);
      const takenAt = this.#world.clock.monotonic();
      const opened = Promise.withResolvers<void>();
      this.#partitions.set(number, { epoch, takenAt, desks: new Map(), opened, open: false });
    }
    this.#sweepInTime();
    await this.#taken.add(number);
  }

  /** Ends what is in flight, if it ends soon: the next owner then knows what came of it. */
  async rest(number: number): Promise<void> {
    const desks = [...(this.#partitions.get(number)?.desks.values() ?? [])];
    await Promise.all(desks.map((desk) => desk.rest(REST_MS)));
  }

  giveUp(number: number): void {
    const partition = this.#partitions.get(number);
    for (const desk of partition?.desks.values() ?? []) desk.close();
    this.#partitions.delete(number);
    partition?.opened.resolve();
  }

  /** A delivery that is about to be inserted: by whoever owns its organization, in this process. */
  async reserve(delivery: DeliveryDocument): Promise<Reservation | null> {
    const partition = this.#partitions.get(delivery.partition);
    if (!partition || this.#isYoung(partition)) return null;
    return this.desk(delivery.subscriptionId).reserve(delivery);
  }

  /** A delivery that was just recorded; before our time another owner may have attempted it. */
  nudge(delivery: DeliveryDocument): void {
    const partition = this.#partitions.get(delivery.partition);
    if (!partition) return;
    const ageMs = this.#world.clock.now() - delivery.createdAt;
    if (this.#isYoung(partition) || ageMs > TRUSTED_MS) return this.#lookSoon();
    this.desk(delivery.subscriptionId).add(delivery);
  }

  #isYoung({ takenAt, open }: Partition): boolean {
    return !open || this.#world.clock.monotonic() - takenAt < OWN_TIME_MS;
  }

  #sweepInTime(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    runPeriodically(this.#world, {
      // Not together with processes that were started at the same moment.
      firstMs: SWEEP_EVERY_MS * this.#world.chance.unit(),
      everyMs: () => SWEEP_EVERY_MS,
      failed: 'sweep of old deliveries failed',
      run: () => this.#sweep(),
    });
  }

  #lookSoon(): void {
    this.#world.clock.after(LOOK_SOON_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#lookAgain = true;
    if (this.#looking) return;
    this.#looking = true;
    try {
      while (this.#lookAgain && this.#partitions.size > 0 && this.#world.leaseHeld()) {
        this.#lookAgain = false;
        await this.#readOn();
      }
    } catch (cause) {
      this.#pages = null;
      this.#world.log.warn({ error: describe(cause) }, 'could not read the delivery agenda');
    } finally {
      this.#looking = false;
    }
  }

  #openOnes(): readonly number[] {
    return [...this.#partitions].flatMap(([number, { open }]) => (open ? [number] : []));
  }

  async #recover(numbers: readonly number[]): Promise<void> {
    const held = numbers.flatMap((number) => this.#partitions.get(number) ?? []);
    await this.#claims.writeOut(numbers);
    for (const partition of held) {
      partition.open = true;
      partition.opened.resolve();
    }
    await Promise.all([
      wakeBreakers(this.#world, numbers, ({ _id, partition }) => {
        if (this.#partitions.has(partition)) this.desk(_id).wake();
      }),
      this.#readPages(this.#pagesOf(() => numbers)),
    ]);
  }

  /** Until the next look, but for subscriptions that have enough in hand. */
  #due(numbers: readonly number[]): Filter {
    const busy = [...this.#partitions.values()].flatMap(({ desks }) =>
      [...desks].flatMap(([id, desk]) => (desk.held >= LOW_WATER ? [id] : [])),
    );
    return {
      'state.status': 'pending',
      partition: { $in: numbers },
      'state.nextAttemptAt': { $lte: this.#world.clock.now() + POLL_EVERY_MS },
      ...(busy.length > 0 ? { subscriptionId: { $nin: busy } } : {}),
    };
  }

  /** Also where the last reading was cut short: what cannot be attempted hides nothing for ever. */
  async #readOn(): Promise<void> {
    if (this.#pages && (await this.#readPages(this.#pages))) this.#pages = null;
    const pages = this.#pagesOf(() => this.#openOnes());
    if (!(await this.#readPages(pages))) this.#pages ??= pages;
  }

  #pagesOf(numbers: () => readonly number[]): DuePages {
    return pagesOf<DeliveryDocument>(this.#world.store, {
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

  /** False: it was cut short. */
  async #readPages(pages: DuePages): Promise<boolean> {
    for (let page = 0; page < PAGES_MAX; page++) {
      // What is read for one time of holding a partition may be old in the next.
      const held = new Map(this.#partitions);
      let ended = false;
      await this.#settled.during(
        async () => {
          const { value, done } = await pages.next();
          ended = done === true;
          return value ?? [];
        },
        (due) => {
          const still = (n: number): boolean => held.get(n) === this.#partitions.get(n);
          for (const delivery of due) if (still(delivery.partition)) this.#add(delivery);
        },
      );
      if (ended) return true;
    }
    return false;
  }

  #add(delivery: DeliveryDocument): void {
    if (this.#partitions.has(delivery.partition)) this.desk(delivery.subscriptionId).add(delivery);
  }

  #forgetIdle(): void {
    const before = this.#world.clock.monotonic() - IDLE_MS;
    for (const { desks } of this.#partitions.values()) {
      for (const [id, desk] of desks) {
        if (desk.busy || desk.usedAt > before) continue;
        desk.close();
        desks.delete(id);
      }
    }
  }

  async #sweep(): Promise<void> {
    if (!this.#world.leaseHeld()) return;
    const before = this.#world.clock.now() - CLAIMS_KEPT_MS;
    await this.#claims.writeOut(this.#openOnes(), { before });
    await sweepDeliveries(this.#world, (number) => this.#partitions.has(number));
  }
}
