/** The kinds of actors a process can run. */
import type { ActorKind } from '../shared/vocabulary.ts';
import { channelKind } from './channel/kind.ts';
import { contactKind } from './contact/kind.ts';
import { conversationKind, sharedQueued } from './conversation/kind.ts';
import { Snapshots } from './conversation/snapshots.ts';
import { organizationKind } from './organization/kind.ts';
import { Relay } from './outbox/relay.ts';
import type { Kind } from './runtime/actor.ts';
import { subscriptionKind } from './subscription/kind.ts';
import type { World } from './world.ts';

export function createKinds(world: World, wanted: readonly ActorKind[]): readonly Kind[] {
  const relay = new Relay(world);
  const kinds = [
    organizationKind(world),
    contactKind({ world, relay }),
    conversationKind({
      world,
      relay,
      snapshots: new Snapshots(world),
      queued: sharedQueued(world),
    }),
    channelKind(world),
    subscriptionKind(world),
  ];
  return kinds.filter((kind) => wanted.includes(kind.kind));
}
