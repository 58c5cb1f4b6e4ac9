/** Organizations as the runtime sees them. */

import type { Kind } from '../runtime/actor.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import type { Reservations } from '../subscription/reservation.ts';
import { TallyKeeper } from '../tally/keeper.ts';
import { isTallyWish } from '../tally/wishes.ts';
import type { World } from '../world.ts';
import { OrganizationActor } from './actor.ts';
import { Counters } from './counters.ts';
import { EventFanOut } from './fan-out.ts';

export interface OrganizationPlace {
  readonly world: World;
  /** Where a delivery may be claimed by its insert. */
  readonly desks: Reservations;
  /** Told of each call that is admitted. */
  readonly onAdmitted?: (orgId: string) => void;
}

export function organizationKind(place: OrganizationPlace, duePoller: DuePoller): Kind {
  const { world, desks, onAdmitted } = place;
  const fanOut = new EventFanOut(world, desks);
  const parts = { world, fanOut, ...(onAdmitted ? { onAdmitted } : {}) };
  const counters = new Counters(world);
  const keeper = new TallyKeeper(world, duePoller);
  return {
    kind: 'organization',
    open: (key, epoch) =>
      new OrganizationActor(key, parts, {
        counter: () => counters.of(key, epoch),
        release: () => counters.release(key, epoch),
      }),
    acquire: async (partition) => keeper.take(partition),
    release(partition) {
      keeper.giveUp(partition);
      counters.giveUp(partition);
    },
    nudge(_, payload) {
      if (isTallyWish(payload)) keeper.wish(payload);
    },
  };
}
