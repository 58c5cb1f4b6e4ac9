/** Subscriptions as the runtime sees them. */

import type { Kind } from '../runtime/actor.ts';
import type { World } from '../world.ts';
import { SubscriptionActor } from './actor.ts';
import type { DeliveryAgenda } from './agenda.ts';
import type { DeliveryDocument } from './documents.ts';

export function subscriptionKind(world: World, agenda: DeliveryAgenda): Kind {
  return {
    kind: 'subscription',
    open: (key) => new SubscriptionActor(key, world, () => agenda.open(key)),
    acquire: (partition, epoch) => agenda.take(partition, epoch),
    flush: (partition) => agenda.rest(partition),
    release: (partition) => agenda.giveUp(partition),
    nudge: (_, payload) => agenda.nudge(payload as DeliveryDocument),
  };
}
