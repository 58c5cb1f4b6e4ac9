/**
 * Payloads of the bridge's three engines, and a bare HTTP server that answers with them. The
 * driver's tests hold it to the payloads, never to the simulator.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import { parseWebhook } from '../../../../../infra/adapters/network/web/webhook.ts';
import type { Clock } from '../../../../../shared/ports/clock.ts';
import type { NetworkDriver, WebhookOutcome } from '../../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import {
  channelOf,
  listen,
  WEB_NETWORK,
} from '../../../../support/infra/adapters/network/network-fixture.ts';

/** Content of a file of `payloads/web`. */
export function payload(name: string): unknown {
  const path = new URL(`../../../../support/networks/payloads/web/${name}.json`, import.meta.url);
  const file = JSON.parse(readFileSync(path, 'utf8'));
  assert.ok(file.source && file.engine, `${name} tells its source and engine`);
  return file.payload;
}

/** A webhook of the bridge, signed, through the driver's parser. */
export function parsed(value: unknown): WebhookOutcome {
  const rawBody = Buffer.from(JSON.stringify(value));
  const hex = createHmac('sha512', WEB_NETWORK.webhookSecret).update(rawBody).digest('hex');
  const headers = { 'x-webhook-hmac': hex, 'x-webhook-hmac-algorithm': 'sha512' };
  return parseWebhook(systemClock, channelOf('web'), { headers, rawBody });
}

/** The events of a webhook that is one of the payload files. */
export function eventsOf(name: string): readonly NetworkEvent[] {
  const outcome = parsed(payload(name));
  assert.ok(outcome.verified && 'events' in outcome, name);
  return outcome.events;
}

/** The one event of such a webhook, which is of this type. */
export function eventOf<T extends NetworkEvent['type']>(name: string, type: T) {
  const [event, ...more] = eventsOf(name);
  assert.ok(event?.type === type && more.length === 0, `${name}: ${JSON.stringify(event)}`);
  return event as Extract<NetworkEvent, { type: T }>;
}

export interface BridgeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | null;
}

interface BridgeAnswer {
  readonly status: number;
  /** Null is an empty body; a Buffer a file. */
  readonly body: unknown;
}

/** The answer to a request; undefined is the router's 404. */
type Answers = (request: BridgeRequest) => BridgeAnswer | undefined;

export interface Bridge {
  readonly url: string;
  readonly driver: NetworkDriver;
  readonly channel: ReturnType<typeof channelOf>;
  readonly requests: BridgeRequest[];
  answers: Answers;
  close(): Promise<void>;
}

export async function startBridge(clock: Clock = systemClock): Promise<Bridge> {
  const server: Server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://bridge');
    const text = Buffer.concat(chunks).toString('utf8');
    const request = {
      method: incoming.method ?? '',
      path: decodeURIComponent(pathname),
      query: Object.fromEntries(searchParams),
      body: text === '' ? null : JSON.parse(text),
    };
    bridge.requests.push(request);
    const route = { message: `Cannot ${request.method} ${request.path}`, statusCode: 404 };
    const { status, body } = bridge.answers(request) ?? { status: 404, body: route };
    if (Buffer.isBuffer(body)) response.writeHead(status).end(body);
    else response.writeHead(status).end(body === null ? '' : JSON.stringify(body));
  });
  const url = await listen(server);
  const networks = createNetworks({ clock, resolveBaseUrl: (baseUrl) => baseUrl ?? '' });
  const bridge: Bridge = {
    url,
    driver: networks.driver('web'),
    channel: channelOf('web', { baseUrl: url }),
    requests: [],
    answers: () => undefined,
    async close() {
      await networks.close();
      server.closeAllConnections();
      server.close();
    },
  };
  return bridge;
}

export function ok(body: unknown): BridgeAnswer {
  return { status: 200, body };
}

/** A payload file of an answer. */
export function answerOf(name: string): BridgeAnswer {
  const { status, body } = Object(payload(name));
  return { status, body };
}

/** The word of a bridge of this engine about itself; the rest answers every other request. */
export function engine(name: 'webjs' | 'noweb' | 'gows', rest: Answers): Answers {
  return (request) => {
    if (request.path === '/api/server/version') return ok(payload(`version-${name}`));
    if (request.path === '/api/sessions/shop') return ok(payload(`session-${name}`));
    return rest(request);
  };
}
