/** Organizations as the runtime sees them. */
import type { Kind } from '../runtime/actor.ts';
import type { Lookout } from '../runtime/lookout.ts';
import { TallyKeeper } from '../tally/keeper.ts';
import { isTallyWish } from '../tally/wishes.ts';
import { OrganizationActor, type OrganizationParts } from './actor.ts';
import { Counters } from './counters.ts';

export function organizationKind(parts: OrganizationParts, lookout: Lookout): Kind {
  const { world } = parts;
  const counters = new Counters(world);
  const keeper = new TallyKeeper(world, lookout);
  return {
    kind: 'organization',
    open: (key, epoch) => new OrganizationActor(key, parts, () => counters.of(key, epoch)),
    take: async (partition) => keeper.take(partition),
    giveUp(partition) {
      keeper.giveUp(partition);
      counters.giveUp(partition);
    },
    nudge(_, payload) {
      if (isTallyWish(payload)) keeper.wish(payload);
    },
  };
}
