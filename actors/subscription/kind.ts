/** The subscription kind, as the runtime sees it. */

import type { Environment } from '../environment.ts';
import type { Kind } from '../runtime/actor.ts';
import { SubscriptionActor } from './actor.ts';
import type { DeliveryAgenda } from './agenda.ts';
import type { DeliveryDocument } from './documents.ts';

export function subscriptionKind(environment: Environment, agenda: DeliveryAgenda): Kind {
  return {
    kind: 'subscription',
    open: (key) => new SubscriptionActor(key, environment, () => agenda.openWorker(key)),
    acquire: (partition, epoch) => agenda.acquire(partition, epoch),
    flush: (partition) => agenda.drain(partition),
    release: (partition) => agenda.release(partition),
    nudge: (_, payload) => agenda.nudge(payload as DeliveryDocument),
  };
}
