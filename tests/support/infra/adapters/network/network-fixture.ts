/**
 * Fixture of the network tests: the simulator, a service that receives its webhooks, and the real
 * drivers, all over loopback HTTP on free ports.
 */
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { SimulatedChannel } from '../../../../../infra/programs/simulator/network/channels.ts';
import { startSimulator } from '../../../../../infra/programs/simulator/simulator.ts';
import type { Log } from '../../../../../shared/ports/log.ts';
import type { NetworkChannel, WebhookRequest } from '../../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import type { Provider } from '../../../../../shared/vocabulary.ts';
import { type Arrived, record } from '../../../stand-ins/server.ts';
import { useUntil } from '../../../test-hooks.ts';
import { waitFor } from '../../../wait-for.ts';

export const CLOUD_NETWORK = {
  baseUrl: 'sandbox',
  phoneNumberId: '1001',
  accessToken: 'token-1001',
  appSecret: 'app-secret',
  verifyToken: 'verify-me',
};

export const WEB_NETWORK = {
  baseUrl: 'sandbox',
  session: 'shop',
  apiKey: 'bridge-key',
  webhookSecret: 'hook-secret',
};

const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A channel as a driver gets it. */
export function channelOf(
  provider: Provider,
  changes: Readonly<Record<string, string>> = {},
): NetworkChannel {
  const network = provider === 'cloud' ? CLOUD_NETWORK : WEB_NETWORK;
  return {
    id: `ch_${provider}`,
    provider,
    phone: '551140001000',
    network: { ...network, ...changes },
  };
}

export interface NetworkFixture {
  readonly url: string;
  readonly networks: ReturnType<typeof createNetworks>;
  /** Every webhook request, in the order of arrival. */
  readonly requests: { readonly path: string; readonly request: WebhookRequest }[];
  /** Events that the drivers made of them. */
  readonly events: NetworkEvent[];
  /** Takes a request's answer status; 200 until a test says otherwise. */
  answerWith: (requestNumber: number) => number;
  channels: SimulatedChannel[];
  control(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  until(what: string, holds: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function openNetworkFixture(): Promise<NetworkFixture> {
  const service = await record((arrived) => receive(fixture, arrived));
  const serviceUrl = service.url;
  const channels: SimulatedChannel[] = [
    {
      channelId: 'ch_cloud',
      provider: 'cloud',
      webhookUrl: `${serviceUrl}/ch_cloud`,
      network: CLOUD_NETWORK,
    },
    {
      channelId: 'ch_web',
      provider: 'web',
      phone: '551140001000',
      webhookUrl: `${serviceUrl}/ch_web`,
      network: WEB_NETWORK,
    },
  ];
  const simulator = await startSimulator({
    clock: systemClock,
    log: silentLog,
    token: 'token',
    channels: () => Promise.resolve(fixture.channels),
    waits: { sentMs: 1, deliveredMs: 5, readMs: 5 },
  });
  const networks = createNetworks({ clock: systemClock, resolveBaseUrl: () => simulator.url });
  const fixture: NetworkFixture = {
    url: simulator.url,
    networks,
    requests: [],
    events: [],
    answerWith: () => 200,
    channels,
    control: (method, path, body) => control(`${simulator.url}/control${path}`, method, body),
    until: async (what, holds) => void (await waitFor(holds, { what })),
    async close() {
      await simulator.close();
      await networks.close();
      await service.close();
    },
  };
  return fixture;
}

/** One for the tests of a file or a suite. */
export function useNetworkFixture(): NetworkFixture {
  return useUntil(openNetworkFixture, (fixture) => fixture.close());
}

function receive(fixture: NetworkFixture, { path, headers: had, bytes }: Arrived): number {
  const named = Object.entries(had).map(([name, value]) => [name, String(value)]);
  const request = { headers: Object.fromEntries(named), rawBody: bytes };
  const provider = path.endsWith('web') ? 'web' : 'cloud';
  const status = fixture.answerWith(fixture.requests.length);
  fixture.requests.push({ path, request });
  const outcome = fixture.networks.driver(provider).parseWebhook(channelOf(provider), request);
  if (status === 200 && outcome.verified && 'events' in outcome) {
    fixture.events.push(...outcome.events);
  }
  return outcome.verified ? status : 401;
}

async function control(
  url: string,
  method: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  return { status: response.status, body: await response.json() };
}
