/** Channels as the runtime sees them. */
import type { Kind } from '../runtime/actor.ts';
import { ChannelActor } from './actor.ts';
import type { ChannelAgenda } from './agenda.ts';
import type { SendNudge } from './commands.ts';

export function channelKind(agenda: ChannelAgenda): Kind {
  return {
    kind: 'channel',
    open: (key, epoch) => new ChannelActor(key, agenda.desks(key, epoch)),
    acquire: (partition, epoch) => agenda.take(partition, epoch),
    flush: (partition) => agenda.rest(partition),
    release: (partition) => agenda.giveUp(partition),
    restricted: () => agenda.restricted(),
    refusedWebhooks: () => agenda.refusedWebhooks(),
    nudge: (partition, payload) => agenda.nudge(partition, payload as SendNudge),
  };
}
