/**
 * One delivery document per event and matching subscription, with the bytes that every attempt
 * will send (contract section 6, invariant 3). Ids are derived: doing it again does nothing.
 */
import { subscribes } from '../../shared/events.ts';
import { deliveryId } from '../../shared/keys.ts';
import type { Answer } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import { newDelivery } from '../domain/delivery.ts';
import type { OrganizationState } from '../domain/organization-state.ts';
import type { FanOutCommand } from '../outbox/fan-out.ts';
import type { DeliveryDocument } from '../subscription/documents.ts';
import type { World } from '../world.ts';

const DONE: Answer = { status: 200, body: '{}' };

export async function fanOutEvents(
  world: World,
  state: OrganizationState | null,
  command: FanOutCommand,
): Promise<Answer> {
  if (!state) return DONE;
  const deliveries = command.events.flatMap((event) => {
    const body = JSON.stringify({ event: event.event, data: event.data });
    return state.subscriptions
      .filter((each) => each.removed !== true && subscribes(each.events, event.event))
      .map((subscription): DeliveryDocument => {
        const now = world.clock.now();
        return {
          _id: deliveryId(world.ids, event.id, subscription.id),
          orgId: state.id,
          subscriptionId: subscription.id,
          partition: partitionOf('subscription', subscription.id),
          event: event.event,
          body,
          createdAt: now,
          revision: 1,
          ...newDelivery(now, subscription.enabled ? 'pending' : 'parked'),
        };
      });
  });
  if (deliveries.length === 0) return DONE;
  const outcomes = await world.store.commit(
    deliveries.map((document) => ({ insert: 'deliveries', document })),
  );
  deliveries.forEach((delivery, index) => {
    const outcome = outcomes[index];
    if (outcome && !outcome.ok && 'error' in outcome) throw outcome.error;
    if (outcome?.ok && delivery.status === 'pending') {
      world.bus.nudge({ kind: 'subscription', key: delivery.subscriptionId }, delivery);
    }
  });
  return DONE;
}
