/**
 * One delivery document per event and matching subscription, with the bytes that every attempt
 * will send (contract section 6, invariant 3). Ids are derived: doing it again does nothing.
 */
import { subscribes } from '../../shared/events.ts';
import { deliveryId } from '../../shared/keys.ts';
import type { OutboxEvent } from '../../shared/outbox.ts';
import type { Answer, WriteOutcome } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { OrganizationState, SubscriptionEntry } from '../domain/organization-state.ts';
import type { FanOutCommand } from '../outbox/fan-out.ts';
import { type DeliveryDocument, recordedState } from '../subscription/documents.ts';
import type { Reservation, Reservations } from '../subscription/reservation.ts';
import type { World } from '../world.ts';

const DONE: Answer = { status: 200, body: '{}' };

interface FanOutParts {
  readonly world: World;
  readonly desks: Reservations;
}

export async function fanOutEvents(
  { world, desks }: FanOutParts,
  state: OrganizationState | null,
  command: FanOutCommand,
): Promise<Answer> {
  if (!state) return DONE;
  const deliveries = command.events.flatMap((event) => deliveriesOf(world, state, event));
  if (deliveries.length === 0) return DONE;
  const offers = await Promise.all(deliveries.map((delivery) => offer(desks, delivery)));
  const outcomes = await insertAll(world, offers);
  offers.forEach(({ delivery, reservation }, index) => {
    const outcome = outcomes[index];
    if (outcome && !outcome.ok && 'error' in outcome) throw outcome.error;
    if (outcome?.ok && !reservation && delivery.state.status === 'pending') {
      world.bus.nudge({ kind: 'subscription', key: delivery.subscriptionId }, delivery);
    }
  });
  return DONE;
}

interface Offer {
  readonly delivery: DeliveryDocument;
  readonly reservation: Reservation | null;
}

/** To the subscription's desk, if it is in this process and can do with it now. */
async function offer(desks: Reservations, delivery: DeliveryDocument): Promise<Offer> {
  const pending = delivery.state.status === 'pending';
  const reservation = pending ? await desks.reserve(delivery) : null;
  return { delivery: reservation?.delivery ?? delivery, reservation };
}

/** Whatever becomes of it, those that have reserved are told. */
async function insertAll(
  { store }: Pick<World, 'store'>,
  offers: readonly Offer[],
): Promise<readonly WriteOutcome[]> {
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
