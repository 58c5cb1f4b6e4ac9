/**
 * Fixture of the network tests: the simulator, a service that receives its webhooks, and the real
 * drivers, all over loopback HTTP on free ports.
 */
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { SimulatedChannel } from '../../../../../infra/programs/simulator/channels.ts';
import { startSimulator } from '../../../../../infra/programs/simulator/simulator.ts';
import type { Log } from '../../../../../shared/ports/log.ts';
import type { NetworkChannel, WebhookRequest } from '../../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import type { Provider } from '../../../../../shared/vocabulary.ts';

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
  /** Polls a condition often; throws after 30 s. */
  until(what: string, holds: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function openNetworkFixture(): Promise<NetworkFixture> {
  const service = createServer();
  const serviceUrl = await listen(service);
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
    until,
    async close() {
      await simulator.close();
      await networks.close();
      service.closeAllConnections();
      service.close();
    },
  };
  receiveWebhooks(service, fixture);
  return fixture;
}

function receiveWebhooks(service: Server, fixture: NetworkFixture): void {
  service.on('request', async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    );
    const request = { headers, rawBody: Buffer.concat(chunks) };
    const provider = incoming.url?.endsWith('web') ? 'web' : 'cloud';
    const status = fixture.answerWith(fixture.requests.length);
    fixture.requests.push({ path: incoming.url ?? '', request });
    const outcome = fixture.networks.driver(provider).parseWebhook(channelOf(provider), request);
    if (status === 200 && outcome.verified && 'events' in outcome) {
      fixture.events.push(...outcome.events);
    }
    response.writeHead(outcome.verified ? status : 401).end();
  });
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

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await sleep(2);
  }
}

/** Starts a bare server; resolves with its URL. */
export function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}
