/**
 * The real server over a bus in memory, on a free port of the loopback. It has one organization
 * with three channels, an account key, a channel key, keys of less access, an assistant's, and keys
 * that are refused.
 */
import * as v from 'valibot';
import { LoadShedder, trackedBus } from '../../../gateway/bus.ts';
import { EventStreams } from '../../../gateway/events/event-streams.ts';
import type { Gateway } from '../../../gateway/gateway.ts';
import { bodyBudgets } from '../../../gateway/http/read-body.ts';
import { Installation } from '../../../gateway/installation.ts';
import { buildDocument } from '../../../gateway/openapi/document.ts';
import { ROUTES } from '../../../gateway/routes.ts';
import { serve } from '../../../gateway/serve.ts';
import { startServer } from '../../../gateway/server.ts';
import { NetworkThrottle } from '../../../gateway/throttling/network-throttle.ts';
import { StreamLimiter } from '../../../gateway/throttling/stream-limiter.ts';
import { Throttle } from '../../../gateway/throttling/throttle.ts';
import { systemClock } from '../../../infra/adapters/clock/clock.ts';
import { createIds, freshId } from '../../../infra/adapters/ids/ids.ts';
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Log } from '../../../shared/ports/log.ts';
import type { Admission, Caller } from '../../../shared/wire/caller.ts';
import { useUntil } from '../test-hooks.ts';
import { MemoryBus } from './memory-bus.ts';

export const ACCOUNT_KEY = 'rcd_loja_account-key-0123456789';
export const CHANNEL_KEY = 'rcd_loja_channel-key-0123456789';
export const REVOKED_KEY = 'rcd_loja_revoked-key-0123456789';
export const LIMITED_KEY = 'rcd_loja_limited-key-0123456789';
export const READ_KEY = 'rcd_loja_reading-key-0123456789';
export const SEND_KEY = 'rcd_loja_sending-key-0123456789';
export const ASSISTANT_KEY = 'rcd_loja_assistant-key-0123456789';
/** It worked once. */
export const EXPIRED_KEY = 'rcd_loja_expired-key-0123456789';
export const UNKNOWN_KEY = 'rcd_loja_unknown-key-0123456789';
export const ORG = 'org_1';
export const MAIN = 'chn_main';
export const SHOP = 'chn_shop';
export const ASLEEP = 'chn_asleep';
export const ASLEEP_REASON = 'O número está desconectado.';

/** Headers of webhooks whose signature has the right form, and fits nothing. */
export const SIGNED = {
  cloud: { 'x-hub-signature-256': `sha256=${'ab'.repeat(32)}` },
  web: { 'x-webhook-hmac': 'ab'.repeat(64) },
} as const;

export const ids = createIds(new Uint8Array(32));

const CHANNELS = [
  { id: MAIN, provider: 'cloud', ready: true, reason: null },
  { id: SHOP, provider: 'web', ready: true, reason: null },
  { id: ASLEEP, provider: 'web', ready: false, reason: ASLEEP_REASON },
] as const;

export const ACCOUNT: Caller = {
  orgId: ORG,
  country: 'BR',
  timeZone: 'America/Sao_Paulo',
  keyId: 'key_account',
  keyName: 'ERP',
  keyPrefix: ACCOUNT_KEY.slice(0, 12),
  scope: 'account',
  channelId: null,
  channels: CHANNELS,
  version: 7,
};

const CALLERS = new Map<string, Caller>([
  [ids.digest(ACCOUNT_KEY), ACCOUNT],
  [ids.digest(LIMITED_KEY), ACCOUNT],
  [ids.digest(READ_KEY), { ...ACCOUNT, keyId: 'key_read', access: 'read' }],
  [ids.digest(SEND_KEY), { ...ACCOUNT, keyId: 'key_send', access: 'send' }],
  [ids.digest(ASSISTANT_KEY), { ...ACCOUNT, keyId: 'key_robot', keyName: 'Robô', assistant: true }],
  [
    ids.digest(CHANNEL_KEY),
    { ...ACCOUNT, keyId: 'key_shop', keyName: 'Vendas', scope: 'channel', channelId: SHOP },
  ],
]);

const RATE = { limit: 120, remaining: 119, resetSeconds: 60 };
const RATES = { key: RATE, org: { limit: 600, remaining: 599, resetSeconds: 60 } };

function json(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value) };
}

/** The organization's owner. */
export function admission(command: Readonly<Record<string, unknown>>): Answer {
  return { status: 200, body: '', admission: admissionOf(command) };
}

function admissionOf({ digest, knownVersion }: Readonly<Record<string, unknown>>): Admission {
  const caller = CALLERS.get(String(digest));
  if (digest === ids.digest(EXPIRED_KEY)) return { outcome: 'unauthorized', expired: true };
  if (!caller) return { outcome: 'unauthorized' };
  const known = knownVersion === caller.version;
  if (digest === ids.digest(LIMITED_KEY)) {
    const newer = known ? {} : { caller };
    return { outcome: 'rate-limited', rates: RATES, ...newer, retryAfterSeconds: 17 };
  }
  return known
    ? { outcome: 'admitted', rates: RATES }
    : { outcome: 'admitted-with-caller', rates: RATES, caller };
}

/** Which organization a key is of; the revoked one is still found, and refused by its owner. */
function findKey(payload: unknown): Answer {
  const { digest } = v.parse(v.object({ digest: v.string() }), payload);
  const refused = [REVOKED_KEY, EXPIRED_KEY].map((key) => ids.digest(key));
  const found = CALLERS.has(digest) || refused.includes(digest);
  return found ? json(200, { orgId: ORG }) : json(404, { error: 'x' });
}

/** The same for many at once. */
function findKeys(payload: unknown): Answer {
  const { digests } = v.parse(v.object({ digests: v.array(v.string()) }), payload);
  const found = digests.filter((digest) => findKey({ digest }).status === 200);
  return json(200, { found: found.map((digest) => [digest, ORG]) });
}

/** Its network, its organization, and its address, which no test of them asks for. */
function findChannel(payload: unknown): Answer {
  const { channelId } = v.parse(v.object({ channelId: v.string() }), payload);
  const channel = CHANNELS.find(({ id }) => id === channelId);
  if (!channel) return json(404, { error: 'x' });
  return json(200, { url: '', orgId: ORG, provider: channel.provider });
}

export type Fixture = Awaited<ReturnType<typeof startGateway>>;

export interface SendInit {
  readonly method?: string;
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  /** A string goes as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface FixtureOptions {
  readonly clock?: Clock;
  readonly knowsInstallation?: boolean;
  /** Bytes of callers' bodies, and as many of unauthenticated ones. */
  readonly budgetBytes?: number;
}

export async function startGateway(options: FixtureOptions = {}) {
  const bus = new MemoryBus();
  bus.onAsk = ({ command }) =>
    command.type === 'admit' ? admission(command) : json(201, { data: { id: command.id } });
  bus.onQuery = ({ resource, payload }) => {
    if (resource === 'key') return findKey(payload);
    if (resource === 'keys') return findKeys(payload);
    if (resource === 'inbound-webhook') return findChannel(payload);
    return json(200, { data: [], page: 1, limit: 50, total: 0 });
  };
  const logged: Record<string, unknown>[] = [];
  const keep = (fields: Record<string, unknown>): void => void logged.push(fields);
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const clock = options.clock ?? systemClock;
  const installation = new Installation(clock);
  if (options.knowsInstallation !== false) installation.learn(ids);
  const loadShedder = new LoadShedder(clock);
  const tracked = trackedBus(bus, loadShedder);
  const gateway: Gateway = {
    bus: tracked,
    networkThrottle: new NetworkThrottle(tracked, clock),
    clock,
    log,
    installation,
    keys: new GenerationalCache(100),
    lookUps: new Map(),
    throttle: new Throttle(clock),
    bodies: bodyBudgets(options.budgetBytes),
    uploads: bodyBudgets(options.budgetBytes),
    loadShedder: loadShedder,
    streamLimiter: new StreamLimiter(clock),
    eventStreams: new EventStreams({ bus, clock, log, freshId, eventHeaderPrefix: 'X-Service' }),
    freshId,
    document: buildDocument(ROUTES, 'http://127.0.0.1'),
    publicOrigin: 'http://127.0.0.1',
  };
  const server = startServer(
    { ...gateway, serve: (incoming, requestLog) => serve(gateway, incoming, requestLog) },
    { host: '127.0.0.1', port: 0, setting: 'PORT' },
  );
  const base = `http://127.0.0.1:${server.port}`;
  return {
    port: server.port,
    base,
    bus,
    gateway,
    logged,
    stop: () => server.stop(),
    [Symbol.asyncDispose]: () => server.stop(),
    send: (path: string, init: SendInit = {}) => fetch(base + path, fetchInit(init)),
  };
}

/** One for the tests of a file or a suite. */
export function useGateway(): Fixture {
  return useUntil(startGateway, (gateway) => gateway.stop());
}

function fetchInit({ method, key = ACCOUNT_KEY, headers, body }: SendInit): RequestInit {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method: method ?? (text === undefined ? 'GET' : 'POST'),
    headers: { ...(key === null ? {} : { 'x-api-key': key }), ...headers },
    ...(text === undefined ? {} : { body: text }),
  };
}

const AnyBody = v.object({
  error: v.optional(v.string()),
  issues: v.optional(v.array(v.object({ path: v.string(), message: v.string() }))),
});

/** Parses the error of an answer; a success has none. */
export async function errorOf(response: Response): Promise<v.InferOutput<typeof AnyBody>> {
  return v.parse(AnyBody, await response.json());
}

/** The paths that a 422 points at, sorted. */
export async function issuePaths(response: Response): Promise<readonly string[]> {
  const { issues = [] } = await errorOf(response);
  return issues.map((issue) => issue.path).sort();
}
