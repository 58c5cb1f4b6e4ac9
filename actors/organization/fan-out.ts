/**
 * One delivery document per event and matching subscription, with the bytes that every attempt
 * will send (contract section 6, invariant 3). Ids are derived: doing it again does nothing.
 */
import { subscribes } from '../../shared/events.ts';
import { deliveryId } from '../../shared/keys.ts';
import type { OutboxEvent } from '../../shared/outbox.ts';
import type { Answer } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { OrganizationState, SubscriptionEntry } from '../domain/organization-state.ts';
import type { FanOutCommand } from '../outbox/fan-out.ts';
import { type DeliveryDocument, recordedState } from '../subscription/documents.ts';
import type { World } from '../world.ts';

const DONE: Answer = { status: 200, body: '{}' };

export async function fanOutEvents(
  world: World,
  state: OrganizationState | null,
  command: FanOutCommand,
): Promise<Answer> {
  if (!state) return DONE;
  const deliveries = command.events.flatMap((event) => deliveriesOf(world, state, event));
  if (deliveries.length === 0) return DONE;
  const outcomes = await world.store.commit(
    deliveries.map((document) => ({ insert: 'deliveries', document })),
  );
  deliveries.forEach((delivery, index) => {
    const outcome = outcomes[index];
    if (outcome && !outcome.ok && 'error' in outcome) throw outcome.error;
    if (outcome?.ok && delivery.state.status === 'pending') {
      world.bus.nudge({ kind: 'subscription', key: delivery.subscriptionId }, delivery);
    }
  });
  return DONE;
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
