/**
 * Presence at the network: a read mark, or that an answer is being written. Best effort: it is
 * asked once and never repeated, and nothing waits for it. A channel that is not ready shows
 * nothing.
 */
import type { AnswerOf } from '../../shared/ports/bus.ts';
import { DONE } from '../../shared/wire/answer.ts';
import type { Acknowledged } from '../../shared/wire/command-map.ts';
import type { ShowPresence } from '../model/channel.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { Channel } from './channel.ts';

/** Answers at once: a slow network holds no outbox back. */
export async function showPresence(
  channel: Channel,
  command: ShowPresence,
): Promise<AnswerOf<Acknowledged>> {
  void show(channel, command);
  return DONE;
}

/** Never rejects. */
async function show(
  channel: Channel,
  { presence, until = Number.POSITIVE_INFINITY }: ShowPresence,
): Promise<void> {
  const { channelId, environment } = channel;
  const { clock, leaseHeld, log, networks } = environment;
  try {
    const configuration = await channel.configuration();
    if (!configuration?.entry.enabled || !channel.readiness.known.ready) return;
    if (clock.now() > until || !leaseHeld() || channel.closed) return;
    const { network } = configuration;
    const { show: showAt } = networks.driver(network.provider);
    const shown = await showAt?.(network, presence);
    if (shown === false) log.info({ channelId, shows: presence.shows }, 'presence not shown');
  } catch (fault) {
    log.warn({ channelId, error: describe(fault) }, 'presence not shown');
  }
}
