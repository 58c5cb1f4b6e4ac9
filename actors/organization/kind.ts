/** Organizations as the runtime sees them. */
import type { Kind } from '../runtime/actor.ts';
import type { World } from '../world.ts';
import { OrganizationActor } from './actor.ts';
import { Counters } from './counters.ts';

export function organizationKind(world: World): Kind {
  const counters = new Counters(world);
  return {
    kind: 'organization',
    open: (key, epoch) => new OrganizationActor(key, world, () => counters.of(key, epoch)),
    giveUp: (partition) => counters.giveUp(partition),
  };
}
