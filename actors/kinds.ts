/** The kinds of actors a process can run. */
import type { ActorKind } from '../shared/vocabulary.ts';
import { ChannelAgenda } from './channel/agenda.ts';
import { channelKind } from './channel/kind.ts';
import { contactKind } from './contact/kind.ts';
import { conversationKind } from './conversation/kind.ts';
import { Snapshots } from './conversation/snapshots.ts';
import { dealKind } from './deal/kind.ts';
import { createFlowParts } from './flow/parts.ts';
import { organizationKind } from './organization/kind.ts';
import { Relay } from './outbox/relay.ts';
import type { Kind } from './runtime/actor.ts';
import { DuePoller } from './runtime/due-poller.ts';
import { Foreground } from './runtime/foreground.ts';
import { DeliveryAgenda } from './subscription/agenda.ts';
import { subscriptionKind } from './subscription/kind.ts';
import { taskKind } from './task/kind.ts';
import type { World } from './world.ts';

export function createKinds(
  world: World,
  wanted: readonly ActorKind[],
  foreground = new Foreground(world.clock),
): readonly Kind[] {
  const relay = new Relay(world);
  const duePoller = new DuePoller(world);
  const desks = new DeliveryAgenda(world, duePoller);
  const sends = new ChannelAgenda(world, duePoller);
  const onAdmitted = (orgId: string) => foreground.called(orgId);
  const kinds = [
    organizationKind({ world, desks, onAdmitted }, duePoller),
    contactKind({ world, relay }),
    conversationKind({
      world,
      relay,
      sends,
      snapshots: new Snapshots(world),
      flows: createFlowParts(world, relay, { duePoller, foreground }),
    }),
    channelKind(sends),
    dealKind({ world, relay }),
    taskKind({ world, relay }, duePoller),
    subscriptionKind(world, desks),
  ];
  return kinds.filter((kind) => wanted.includes(kind.kind));
}
