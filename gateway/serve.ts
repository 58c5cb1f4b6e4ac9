/**
 * One request on its way through the stages: route → shed load → authenticate → read body →
 * execute (validate and scope by the row's `prepare`, admit, ask) → reply.
 *
 * 1. Refusals come in that order: 404, 405, 401, 429, 413 or 400, 422, then 403, 404, 409.
 * 2. Everything of the request itself is read before the first `await`: the server forgets it.
 * 3. Beyond capacity a caller is refused before anything else is read (`load-shedder.ts`).
 * 4. Faults become one 500 here, with their cause in the log and nothing of it in the answer.
 */

import { failure } from '../shared/failures.ts';
import {
  ASK_DEADLINE_MS,
  BODY_MAX_BYTES,
  ID_MAX_CHARS,
  NETWORK_WEBHOOK_MAX_BYTES,
} from '../shared/limits.ts';
import { LOG_EVENT } from '../shared/log-events.ts';
import { findKnownKey, identify } from './authenticate.ts';
import { type ApiCall, ask, execute } from './execute.ts';
import type { Gateway, Incoming, KnownKey } from './gateway.ts';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';
import type { Body, BodyReader } from './read-body.ts';
import { type Reply, refusalReply } from './respond.ts';
import type { ApiRoute, NetworkRoute, Params } from './route.ts';
import { findRoute } from './routes.ts';
import { type ParsedBody, parseBody } from './validate.ts';

const NOTHING: Buffer = Buffer.alloc(0);
export const NO_BODY: ParsedBody = { object: null, bytes: NOTHING };

/** Fields of the request's one log line beside status and time; never a key or a phone. */
export interface RequestLog {
  operationId?: string;
  orgId?: string;
  keyPrefix?: string;
}

/** The reply, or null when the peer has gone. */
export async function serve(
  gateway: Gateway,
  incoming: Incoming,
  requestLog: RequestLog,
): Promise<Reply | null> {
  try {
    const found = findRoute(incoming.method, incoming.path);
    if (!found) return refusalReply(failure('route_not_found'));
    if ('allow' in found) {
      return { ...refusalReply(failure('method_not_allowed')), headers: { allow: found.allow } };
    }
    const { route, params } = found;
    requestLog.operationId = route.operationId;
    if (route.entrance === 'open') {
      return await route.answer(gateway, incoming.requestId, params);
    }
    if (route.entrance === 'api' && route.opensStream) {
      return await serveStream(gateway, incoming, { route, params, requestLog });
    }
    if (gateway.loadShedder.isOverloaded(route.entrance)) return shed(gateway);
    if (route.entrance === 'network') return await serveNetwork(gateway, incoming, [route, params]);
    return await serveApi(gateway, incoming, { route, params, requestLog });
  } catch (cause) {
    const { requestId } = incoming;
    gateway.log.error(
      { cause, requestId, operation: requestLog.operationId },
      LOG_EVENT.requestFailed,
    );
    return refusalReply(failure('fault'));
  }
}

function shed({ metrics }: Gateway): Reply {
  metrics?.shed();
  return refusalReply(failure('overloaded'));
}

interface ApiMatch {
  readonly route: ApiRoute;
  readonly params: Params;
  readonly requestLog: RequestLog;
  /** Of an event stream. */
  readonly lastEventId?: string | undefined;
}

/** An event stream stands outside load shedding: none of its asks is counted there. */
async function serveStream(
  gateway: Gateway,
  incoming: Incoming,
  match: ApiMatch,
): Promise<Reply | null> {
  const { eventStreams } = gateway;
  if (eventStreams.isFull()) return shed(gateway);
  const lastEventId = lastEventIdOf(incoming);
  const uncounted = { ...gateway, bus: eventStreams.bus };
  return eventStreams.track(() => serveApi(uncounted, incoming, { ...match, lastEventId }));
}

/** An empty header names no event. */
function lastEventIdOf(incoming: Incoming): string | undefined {
  const sent = incoming.headers()['last-event-id'] ?? '';
  return sent === '' ? undefined : sent.slice(0, ID_MAX_CHARS).toWellFormed();
}

async function serveApi(
  gateway: Gateway,
  incoming: Incoming,
  match: ApiMatch,
): Promise<Reply | null> {
  const { route, params, requestLog } = match;
  const { whenDisconnected } = route;
  const known = findKnownKey(gateway, incoming);
  const { reader, header } = beginBody(gateway, incoming, { route, isKnown: known !== null });
  const key = known ?? (await identify(gateway, incoming, whenDisconnected));
  if ('kind' in key) return refusalReply(key);
  requestLog.orgId = key.orgId;
  if (key.caller) requestLog.keyPrefix = key.caller.keyPrefix;
  if (!gateway.bus.connected()) return refusalReply(failure(whenDisconnected));
  const body = reader ? await readObject(gateway, incoming, reader) : NO_BODY;
  if (body === null) return null;
  const ids = gateway.installation.current() ?? (await gateway.installation.wait(ASK_DEADLINE_MS));
  const reply = await execute(gateway, { key, body, header, ids, ...callOf(incoming, key, match) });
  if (route.isRecorded) {
    const { requestId } = incoming;
    const { caller } = key;
    gateway.inboundCalls?.record({ channelId: params.id ?? '', requestId, caller, body, reply });
  }
  return reply;
}

/** The parts of a call that its request line and its row give. */
function callOf(
  { method, path, query, requestId }: Incoming,
  { orgId }: KnownKey,
  { route, params, requestLog, lastEventId }: ApiMatch,
): Pick<ApiCall, 'route' | 'frame' | 'plan' | 'onAdmitted'> {
  return {
    route: `${method} ${path}`,
    frame: {
      ...{ requestId, orgId, whenDisconnected: route.whenDisconnected },
      ...{ isUncounted: route.isUncounted, lastEventId },
    },
    plan: (caller, { object }, ids) => route.prepare({ caller, ids, params, query, body: object }),
    onAdmitted: ({ keyPrefix }) => {
      requestLog.keyPrefix = keyPrefix;
    },
  };
}

interface BeginningBody {
  readonly reader: BodyReader | null;
  /** The `Idempotency-Key` as sent. */
  readonly header: string | undefined;
}

/** Starts to collect the body, within the budget of known or of unknown callers. */
export function beginBody(
  { bodies }: Gateway,
  incoming: Incoming,
  { route, isKnown }: { readonly route: Pick<ApiRoute, 'body'>; readonly isKnown: boolean },
): BeginningBody {
  if (!route.body) return { reader: null, header: undefined };
  const budget = isKnown ? bodies.callers : bodies.unauthenticated;
  const reader = incoming.body(BODY_MAX_BYTES, budget);
  return { reader, header: incoming.headers()[IDEMPOTENCY_HEADER] };
}

/** The body's object, a refusal of it, or null when the peer has gone. */
export async function readObject(
  gateway: Gateway,
  incoming: Incoming,
  reader: BodyReader,
): Promise<ParsedBody | Reply | null> {
  const body = await reader.read(gateway.clock, incoming.close);
  if (body.kind !== 'whole') return bodyRefusal(body);
  const parsed = parseBody(body.bytes);
  return 'refusal' in parsed ? refusalReply(parsed.refusal) : parsed;
}

export function bodyRefusal(body: Exclude<Body, { kind: 'whole' }>): Reply | null {
  if (body.kind === 'gone') return null;
  if (body.kind === 'overload') return { ...refusalReply(failure('fault')), close: true };
  return { ...refusalReply(failure('body_too_large')), close: !body.drained };
}

async function serveNetwork(
  gateway: Gateway,
  incoming: Incoming,
  [route, params]: readonly [NetworkRoute, Params],
): Promise<Reply | null> {
  const { query, requestId } = incoming;
  const headers = incoming.headers();
  const { unauthenticated } = gateway.bodies;
  let bytes: Buffer = NOTHING;
  if (route.method === 'POST') {
    const reader = incoming.body(NETWORK_WEBHOOK_MAX_BYTES, unauthenticated);
    const body = await reader.read(gateway.clock, incoming.close);
    if (body.kind !== 'whole') return bodyRefusal(body);
    bytes = body.bytes;
  }
  const commandId = gateway.freshId('cmd');
  const plan = route.plan({ commandId, params, query, headers, bytes });
  const frame = { requestId, whenDisconnected: 'fault', orgId: '' } as const;
  const reply = await unauthenticated.withReserved(bytes.length, () => ask(gateway, plan, frame));
  return reply ?? { ...refusalReply(failure('fault')), close: true };
}
