/**
 * One delivery document per event and matching subscription, with the bytes that every attempt
 * will send (C6.4, I3). Ids are derived: doing it again does nothing.
 */

import { deliveryId } from '../../shared/entity-ids.ts';
import { subscribes } from '../../shared/events.ts';
import type { OutboxEvent } from '../../shared/outbox.ts';
import type { Answer, Store, WriteOutcome } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { OrganizationState, SubscriptionEntry } from '../domain/organization-state.ts';
import type { FanOutCommand } from '../outbox/fan-out.ts';
import { type DeliveryDocument, recordedState } from '../subscription/documents.ts';
import type { Reservation, Reservations } from '../subscription/reservation.ts';
import type { World } from '../world.ts';

const DONE: Answer = { status: 200, body: '{}' };

/**
 * With more than these under way an insert takes long, and a slot that is held meanwhile is better
 * left to what waits for one.
 */
const CLAIMED_AMONG_MAX = 200;

/** What the organizations of one process share. */
export class EventFanOut {
  readonly #world: World;
  readonly #desks: Reservations;
  #inserting = 0;

  constructor(world: World, desks: Reservations) {
    this.#world = world;
    this.#desks = desks;
  }

  async events(state: OrganizationState | null, command: FanOutCommand): Promise<Answer> {
    if (!state) return DONE;
    const { bus, store } = this.#world;
    const deliveries = command.events.flatMap((event) => deliveriesOf(this.#world, state, event));
    if (deliveries.length === 0) return DONE;
    this.#inserting += deliveries.length;
    try {
      const offers = await this.#offered(deliveries);
      const outcomes = await insertAll(store, offers);
      offers.forEach(({ delivery, reservation }, index) => {
        const outcome = outcomes[index];
        if (outcome && !outcome.ok && 'error' in outcome) throw outcome.error;
        if (outcome?.ok && !reservation && delivery.state.status === 'pending') {
          bus.nudge({ kind: 'subscription', key: delivery.subscriptionId }, delivery);
        }
      });
      return DONE;
    } finally {
      this.#inserting -= deliveries.length;
    }
  }

  /** To the desks of the subscriptions, where those are in this process. */
  #offered(deliveries: readonly DeliveryDocument[]): Promise<readonly Offer[]> {
    const claims = this.#inserting <= CLAIMED_AMONG_MAX;
    return Promise.all(
      deliveries.map(async (delivery) => {
        const asked = claims && delivery.state.status === 'pending';
        const reservation = asked ? await this.#desks.reserve(delivery) : null;
        return { delivery: reservation?.delivery ?? delivery, reservation };
      }),
    );
  }
}

interface Offer {
  readonly delivery: DeliveryDocument;
  readonly reservation: Reservation | null;
}

/** Whatever becomes of it, those that have reserved are told. */
async function insertAll(store: Store, offers: readonly Offer[]): Promise<readonly WriteOutcome[]> {
  let outcomes: readonly WriteOutcome[] = [];
  try {
    outcomes = await store.commit(
      offers.map(({ delivery: document }) => ({ insert: 'deliveries', document })),
    );
    return outcomes;
  } finally {
    offers.forEach(({ reservation }, index) => {
      reservation?.settle(outcomes[index]?.ok === true);
    });
  }
}

function deliveriesOf(
  world: World,
  state: OrganizationState,
  event: OutboxEvent,
): DeliveryDocument[] {
  const wanting = state.subscriptions.filter(
    (each) => each.removed !== true && subscribes(each.events, event.event),
  );
  if (wanting.length === 0) return [];
  const body = JSON.stringify({ event: event.event, data: event.data });
  const now = world.clock.now();
  return wanting.map(({ id, enabled }: SubscriptionEntry) => ({
    _id: deliveryId(world.ids, event.id, id),
    orgId: state.id,
    subscriptionId: id,
    partition: partitionOf('subscription', id),
    event: event.event,
    body,
    ...(event.requestId === undefined ? {} : { requestId: event.requestId }),
    createdAt: now,
    state: recordedState(now, enabled ? 'pending' : 'parked'),
  }));
}
