/**
 * One request on its way through the stages: routes → authenticate → read-body → parse → validate
 * and scope (the row's `prepare`) → admit → ask → reply; admission rides with the ask where it can.
 *
 * 1. Refusals come in that order: 404, 405, 401, 429, 413 or 400, 422, then 403, 404, 409.
 * 2. Everything of the request itself is read before the first `await`: the server forgets it.
 * 3. Beyond capacity a caller is refused before anything else is read (`pressure.ts`).
 * 4. Faults become one 500 here, with their cause in the log and nothing of it in the answer.
 */

import { type Failure, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS, BODY_MAX_BYTES, NETWORK_WEBHOOK_MAX_BYTES } from '../shared/limits.ts';
import { LOG_EVENT } from '../shared/log-events.ts';
import type { Ids } from '../shared/ports.ts';
import type { Caller } from '../shared/wire/caller.ts';
import { admit } from './admit.ts';
import { type AskFrame, ask, askWithAdmission } from './ask.ts';
import { authenticate, findCachedKey, readKey } from './authenticate.ts';
import type { Gateway, Incoming, KnownKey } from './gateway.ts';
import { IDEMPOTENCY_HEADER, runIdempotently } from './idempotency.ts';
import { parseBody } from './parse.ts';
import { peerOf } from './peer.ts';
import type { Body, BodyReader } from './read-body.ts';
import { replayableIds } from './replayable-ids.ts';
import { type Reply, refusalReply } from './reply.ts';
import type { ApiRoute, NetworkRoute, Params, Plan, Sequence } from './route.ts';
import { findRoute } from './routes.ts';

const NOTHING: Buffer = Buffer.alloc(0);
const NO_BODY: ReadBody = { object: null, bytes: NOTHING };

/** What the request's one log line tells beside status and time; never a key or a phone. */
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
    if (gateway.loadShedder.isOverloaded(route.entrance)) {
      gateway.metrics?.shed();
      return refusalReply(failure('overloaded'));
    }
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

interface ApiMatch {
  readonly route: ApiRoute;
  readonly params: Params;
  readonly requestLog: RequestLog;
}

async function serveApi(
  gateway: Gateway,
  incoming: Incoming,
  { route, params, requestLog }: ApiMatch,
): Promise<Reply | null> {
  const { requestId, query } = incoming;
  const known = cachedKeyOf(gateway, incoming);
  const budget = known ? gateway.bodies.callers : gateway.bodies.unauthenticated;
  const reader = route.body ? incoming.body(BODY_MAX_BYTES, budget) : null;
  const header = reader ? incoming.headers()[IDEMPOTENCY_HEADER] : undefined;
  const key = known ?? (await identify(gateway, incoming, route));
  if ('kind' in key) return refusalReply(key);
  requestLog.orgId = key.orgId;
  if (key.caller) requestLog.keyPrefix = key.caller.keyPrefix;
  if (!gateway.bus.connected()) return refusalReply(failure(route.whenDisconnected));
  const parsed = reader ? await parsedBody(gateway, incoming, reader) : NO_BODY;
  if (parsed === null) return null;
  const ids = gateway.installation.current() ?? (await gateway.installation.wait(ASK_DEADLINE_MS));
  const { whenDisconnected } = route;
  const frame = { requestId, whenDisconnected, orgId: key.orgId };
  const prepare = (caller: Caller, { object }: ReadBody, callIds: Ids): Plan | Sequence =>
    route.prepare({ caller, ids: callIds, params, query, body: object });
  const replayable = replayableIds(ids);
  // A good request of a caller known here is asked at once, its admission with it.
  const canBeOptimistic = header === undefined && !('status' in parsed);
  const optimistic =
    canBeOptimistic && key.caller ? prepare(key.caller, parsed, replayable()) : null;
  const outcome =
    optimistic?.to === 'actor'
      ? await askWithAdmission(gateway, key, [optimistic, requestId])
      : null;
  if (outcome && 'reply' in outcome) return outcome.reply;
  const admitted = outcome?.admitted ?? (await admit(gateway, key, requestId));
  const { rates } = admitted;
  const withRates = (reply: Reply): Reply => (rates ? { ...reply, rates } : reply);
  if ('refusal' in admitted) return withRates(refusalReply(admitted.refusal));
  const { caller } = admitted;
  requestLog.keyPrefix = caller.keyPrefix;
  if ('status' in parsed) return withRates(parsed);
  const keyed = { ...frame, keyed: true };
  const run = (callIds: Ids) => execute(gateway, prepare(caller, parsed, callIds), keyed);
  if (header === undefined) {
    const plan = prepare(caller, parsed, replayable());
    // What is refused now may have been done before: nobody can say.
    if (plan.to === 'caller' && outcome?.mayHaveRun)
      return withRates(refusalReply(failure('fault')));
    return withRates(await execute(gateway, plan, frame));
  }
  const { orgId, keyId } = caller;
  const call = { route: `${incoming.method} ${incoming.path}`, bytes: parsed.bytes, requestId };
  const { object } = parsed;
  const withMedia = object?.mediaUrl !== undefined || object?.mediaId !== undefined;
  const idempotentCall = { header, orgId, keyId, ids, withMedia, ...call };
  return withRates(await runIdempotently(gateway, idempotentCall, run));
}

interface ReadBody {
  readonly object: Readonly<Record<string, unknown>> | null;
  readonly bytes: Buffer;
}

/** Asks whatever a plan wants to know, step by step. */
async function execute(gateway: Gateway, plan: Plan | Sequence, frame: AskFrame): Promise<Reply> {
  if (plan.to !== 'sequence') return ask(gateway, plan, frame);
  const first = await ask(gateway, plan.first, frame);
  const step = plan.next(first);
  const reply = 'status' in step ? step : await execute(gateway, step, frame);
  return plan.appliesPartially && first.status < 300 ? { ...reply, partiallyApplied: true } : reply;
}

/** The caller's key if this gateway knows it already; nobody is asked. */
function cachedKeyOf(gateway: Gateway, incoming: Incoming): KnownKey | null {
  const key = readKey(incoming.authorization, incoming.apiKey);
  const ids = gateway.installation.current();
  return key !== null && ids ? findCachedKey(gateway, ids, key) : null;
}

/** The key of a stranger, looked up; or why not. */
async function identify(
  gateway: Gateway,
  incoming: Incoming,
  route: ApiRoute,
): Promise<KnownKey | Failure> {
  const key = readKey(incoming.authorization, incoming.apiKey);
  if (key === null) return failure('unauthorized');
  const current = gateway.installation.current();
  if (!gateway.bus.connected()) return failure(route.whenDisconnected);
  const client = { requestId: incoming.requestId, address: peerOf(incoming.remoteAddress()) };
  const ids = current ?? (await gateway.installation.wait(ASK_DEADLINE_MS));
  return authenticate(gateway, client, ids.digest(key));
}

/** The body's object, a refusal of it, or null when there is nobody to answer. */
async function parsedBody(
  gateway: Gateway,
  incoming: Incoming,
  reader: BodyReader,
): Promise<ReadBody | Reply | null> {
  const body = await reader.read(gateway.clock, incoming.close);
  if (body.kind !== 'whole') return bodyRefusal(body);
  const parsed = parseBody(body.bytes);
  if ('refusal' in parsed) return refusalReply(parsed.refusal);
  return { object: parsed.object, bytes: body.bytes };
}

function bodyRefusal(body: Exclude<Body, { kind: 'whole' }>): Reply | null {
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
