/** Metered ports: their calls are passed through unchanged, timed and counted. */

import type { Clock } from '../../../shared/ports/clock.ts';
import type { Metrics } from '../../../shared/ports/metrics.ts';
import type { NetworkDriver, Networks } from '../../../shared/ports/network.ts';
import type { Outbound, PostOutcome } from '../../../shared/ports/outbound.ts';
import type { Registry } from '../../../shared/ports/registry.ts';
import type { Provider } from '../../../shared/vocabulary.ts';

interface Meter {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Counts sends by the network's answer. */
export function meteredNetworks(networks: Networks, { clock, metrics }: Meter): Networks {
  const metered = (provider: Provider): NetworkDriver => {
    const driver = networks.driver(provider);
    const sendText: NetworkDriver['sendText'] = async (channel, message) => {
      const startedAt = clock.monotonic();
      const outcome = await driver.sendText(channel, message);
      metrics.send(provider, outcome.outcome, clock.monotonic() - startedAt);
      return outcome;
    };
    const sendMedia: NetworkDriver['sendMedia'] = async (channel, message) => {
      const startedAt = clock.monotonic();
      const outcome = await driver.sendMedia(channel, message);
      metrics.send(provider, outcome.outcome, clock.monotonic() - startedAt);
      return outcome;
    };
    return { ...driver, sendText, sendMedia };
  };
  const drivers = { cloud: metered('cloud'), web: metered('web') };
  return { driver: (provider) => drivers[provider] };
}

/** Counts the attempts of deliveries. */
export function meteredOutbound(outbound: Outbound, { metrics }: Meter): Outbound {
  return {
    ...outbound,
    post: async (url, body, headers) => {
      const outcome = await outbound.post(url, body, headers);
      metrics.attempt(labelOf(outcome), outcome.ms);
      return outcome;
    },
    request: (url, request) => outbound.request(url, request),
  };
}

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'];

function labelOf(outcome: PostOutcome): string {
  if (!outcome.ok) return outcome.kind;
  return CLASSES[Math.floor(outcome.status / 100) - 1] ?? 'other';
}

/** A process joins once; whenever it joins again it has lost its lease before. */
export function meteredRegistry(registry: Registry, { metrics }: Meter): Registry {
  let joined = false;
  return {
    join: async (member) => {
      await registry.join(member);
      if (joined) metrics.leaseLost();
      joined = true;
    },
    renew: (memberId) => registry.renew(memberId),
    startLeaving: (memberId) => registry.startLeaving(memberId),
    leave: (memberId) => registry.leave(memberId),
    liveMembers: () => registry.liveMembers(),
    partitions: () => registry.partitions(),
    claim: (rows, memberId) => registry.claim(rows, memberId),
    release: (held, memberId) => registry.release(held, memberId),
  };
}
