/** Organizations as the runtime sees them. */
import type { Kind } from '../runtime/actor.ts';
import type { World } from '../world.ts';
import { OrganizationActor } from './actor.ts';

export function organizationKind(world: World): Kind {
  return {
    kind: 'organization',
    open: (key) => new OrganizationActor(key, world),
  };
}
