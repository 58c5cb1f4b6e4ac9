/** The channel kind, as the runtime hosts it. */
import type { Kind } from '../runtime/actor.ts';
import { ChannelActor } from './actor.ts';
import type { ChannelAgenda } from './agenda.ts';
import type { SendNudge } from './commands.ts';

export function channelKind(agenda: ChannelAgenda): Kind {
  return {
    kind: 'channel',
    open: (key, epoch) => new ChannelActor(key, agenda.senders(key, epoch)),
    acquire: (partition, epoch) => agenda.acquire(partition, epoch),
    flush: (partition) => agenda.drain(partition),
    release: (partition) => agenda.release(partition),
    restricted: () => agenda.restricted(),
    refusedWebhooks: () => agenda.refusedWebhooks(),
    nudge: (partition, payload) => agenda.nudge(partition, payload as SendNudge),
  };
}
