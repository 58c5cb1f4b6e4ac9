/**
 * Subscriptions as the runtime sees them, and their agenda: due deliveries, found again in MongoDB
 * by whoever owns the partition next.
 */
import { partitionOf } from '../../shared/subjects.ts';
import type { Kind } from '../runtime/actor.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import { SubscriptionActor } from './actor.ts';
import { SubscriptionDesk } from './desk.ts';
import type { DeliveryDocument } from './documents.ts';

const LOOK_EVERY_MS = 1_000;
const AGENDA_PAGE = 1_000;

export function subscriptionKind(world: World): Kind {
  const agenda = new DeliveryAgenda(world);
  return {
    kind: 'subscription',
    open: (key) => new SubscriptionActor(key, world, agenda.desk(key)),
    take: (partition) => agenda.take(partition),
    giveUp: (partition) => agenda.giveUp(partition),
    nudge: (_, payload) => agenda.add(payload as DeliveryDocument),
  };
}

class DeliveryAgenda {
  readonly #world: World;
  readonly #partitions = new Map<number, Map<string, SubscriptionDesk>>();
  #cancelLook: (() => void) | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  desk(subscriptionId: string): SubscriptionDesk {
    const number = partitionOf('subscription', subscriptionId);
    let desks = this.#partitions.get(number);
    if (!desks) {
      desks = new Map();
      this.#partitions.set(number, desks);
    }
    let desk = desks.get(subscriptionId);
    if (!desk) {
      desk = new SubscriptionDesk(this.#world, subscriptionId);
      desks.set(subscriptionId, desk);
    }
    return desk;
  }

  async take(number: number): Promise<void> {
    if (!this.#partitions.has(number)) this.#partitions.set(number, new Map());
    this.#cancelLook ??= this.#world.clock.after(LOOK_EVERY_MS, () => void this.#look());
    await this.#readDue([number]);
  }

  giveUp(number: number): void {
    for (const desk of this.#partitions.get(number)?.values() ?? []) desk.close();
    this.#partitions.delete(number);
  }

  add(delivery: DeliveryDocument): void {
    if (this.#partitions.has(delivery.partition)) this.desk(delivery.subscriptionId).add(delivery);
  }

  async #look(): Promise<void> {
    try {
      const numbers = [...this.#partitions.keys()];
      if (numbers.length > 0 && this.#world.alive()) await this.#readDue(numbers);
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'could not read the delivery agenda');
    }
    this.#cancelLook = this.#world.clock.after(LOOK_EVERY_MS, () => void this.#look());
  }

  async #readDue(numbers: readonly number[]): Promise<void> {
    const full = [...this.#partitions.values()].flatMap((desks) =>
      [...desks].flatMap(([subscriptionId, desk]) => (desk.full ? [subscriptionId] : [])),
    );
    const due = await this.#world.store.find<DeliveryDocument>(
      'deliveries',
      {
        status: 'pending',
        partition: { $in: numbers },
        nextAttemptAt: { $lte: this.#world.clock.now() + LOOK_EVERY_MS },
        // A subscription with a long backlog must not hide the others' deliveries.
        ...(full.length > 0 ? { subscriptionId: { $nin: full } } : {}),
      },
      { sort: { nextAttemptAt: 1 }, limit: AGENDA_PAGE },
    );
    for (const delivery of due) this.add(delivery);
  }
}
