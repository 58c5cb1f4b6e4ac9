/**
 * One request on its way through the stages: routes → authenticate → read-body → parse → validate
 * and scope (the row's `prepare`) → admit → ask → reply; admission rides with the ask where it can.
 *
 * 1. Refusals come in that order: 404, 405, 401, 429, 413 or 400, 422, then 403, 404, 409.
 * 2. Everything of the request itself is read before the first `await`: the server forgets it.
 * 3. Beyond capacity a caller is refused before anything else is read (`pressure.ts`).
 * 4. Faults become one 500 here, with their cause in the log and nothing of it in the answer.
 */
import type { Caller } from '../shared/caller.ts';
import { type Failure, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS, BODY_MAX_BYTES, NETWORK_WEBHOOK_MAX_BYTES } from '../shared/limits.ts';
import { LOG_EVENT } from '../shared/log-events.ts';
import type { Ids } from '../shared/ports.ts';
import { admit } from './admit.ts';
import { type AskFrame, ask, ride } from './ask.ts';
import { authenticate, readKey, recall } from './authenticate.ts';
import type { Gateway, Incoming, KnownKey } from './gateway.ts';
import { answerOnce, IDEMPOTENCY_HEADER } from './idempotency.ts';
import { parseBody } from './parse.ts';
import { peerOf } from './peer.ts';
import type { Body, BodyReader } from './read-body.ts';
import { type Reply, refusalReply } from './reply.ts';
import type { ApiRoute, NetworkRoute, Params, Plan, Sequence } from './route.ts';
import { findRoute } from './routes.ts';
import { steadyIds } from './steady-ids.ts';

const NOTHING: Buffer = Buffer.alloc(0);
const NO_BODY: ReadBody = { object: null, bytes: NOTHING };

/** What the request's one log line tells beside status and time; never a key or a phone. */
export interface Trail {
  operationId?: string;
  orgId?: string;
  keyPrefix?: string;
}

/** The reply, or null when the peer has gone. */
export async function serve(
  gateway: Gateway,
  incoming: Incoming,
  trail: Trail,
): Promise<Reply | null> {
  try {
    const found = findRoute(incoming.method, incoming.path);
    if (!found) return refusalReply(failure('route_not_found'));
    if ('allow' in found) {
      return { ...refusalReply(failure('method_not_allowed')), headers: { allow: found.allow } };
    }
    const { route, params } = found;
    trail.operationId = route.operationId;
    if (route.entrance === 'open') {
      return await route.answer(gateway, incoming.requestId, params);
    }
    if (gateway.pressure.full(route.entrance)) {
      gateway.metrics?.shed();
      return refusalReply(failure('overloaded'));
    }
    if (route.entrance === 'network') return await serveNetwork(gateway, incoming, [route, params]);
    return await serveApi(gateway, incoming, { route, params, trail });
  } catch (cause) {
    const { requestId } = incoming;
    gateway.log.error({ cause, requestId, operation: trail.operationId }, LOG_EVENT.requestFailed);
    return refusalReply(failure('fault'));
  }
}

interface ApiMatch {
  readonly route: ApiRoute;
  readonly params: Params;
  readonly trail: Trail;
}

async function serveApi(
  gateway: Gateway,
  incoming: Incoming,
  { route, params, trail }: ApiMatch,
): Promise<Reply | null> {
  const { requestId, query } = incoming;
  const known = recallKey(gateway, incoming);
  const budget = known ? gateway.bodies.callers : gateway.bodies.strangers;
  const reader = route.body ? incoming.body(BODY_MAX_BYTES, budget) : null;
  const header = reader ? incoming.headers()[IDEMPOTENCY_HEADER] : undefined;
  const key = known ?? (await identify(gateway, incoming, route));
  if ('kind' in key) return refusalReply(key);
  trail.orgId = key.orgId;
  if (key.caller) trail.keyPrefix = key.caller.keyPrefix;
  if (!gateway.bus.connected()) return refusalReply(failure(route.whenDisconnected));
  const parsed = reader ? await parsedBody(gateway, incoming, reader) : NO_BODY;
  if (parsed === null) return null;
  const ids = gateway.installation.current() ?? (await gateway.installation.wait(ASK_DEADLINE_MS));
  const { whenDisconnected } = route;
  const frame = { requestId, whenDisconnected, orgId: key.orgId };
  const prepare = (caller: Caller, { object }: ReadBody, naming: Ids): Plan | Sequence =>
    route.prepare({ caller, ids: naming, params, query, body: object });
  const steady = steadyIds(ids);
  // A good request of a caller known here is asked at once, its admission with it.
  const mayRide = header === undefined && !('status' in parsed);
  const hopeful = mayRide && key.caller ? prepare(key.caller, parsed, steady()) : null;
  const ridden = hopeful?.to === 'actor' ? await ride(gateway, key, [hopeful, requestId]) : null;
  if (ridden && 'reply' in ridden) return ridden.reply;
  const admitted = ridden?.admitted ?? (await admit(gateway, key, requestId));
  const { rates } = admitted;
  const rated = (reply: Reply): Reply => (rates ? { ...reply, rates } : reply);
  if ('refusal' in admitted) return rated(refusalReply(admitted.refusal));
  const { caller } = admitted;
  trail.keyPrefix = caller.keyPrefix;
  if ('status' in parsed) return rated(parsed);
  const keyed = { ...frame, keyed: true };
  const run = (naming: Ids) => carryOut(gateway, prepare(caller, parsed, naming), keyed);
  if (header === undefined) {
    const plan = prepare(caller, parsed, steady());
    // What is refused now may have been done before: nobody can say.
    if (plan.to === 'caller' && ridden?.mayHaveRun) return rated(refusalReply(failure('fault')));
    return rated(await carryOut(gateway, plan, frame));
  }
  const { orgId, keyId } = caller;
  const call = { route: `${incoming.method} ${incoming.path}`, bytes: parsed.bytes, requestId };
  const { object } = parsed;
  const withMedia = object?.mediaUrl !== undefined || object?.mediaId !== undefined;
  const once = { header, orgId, keyId, ids, withMedia, ...call };
  return rated(await answerOnce(gateway, once, run));
}

interface ReadBody {
  readonly object: Readonly<Record<string, unknown>> | null;
  readonly bytes: Buffer;
}

/** Asks whatever a plan wants to know, step by step. */
async function carryOut(gateway: Gateway, plan: Plan | Sequence, frame: AskFrame): Promise<Reply> {
  if (plan.to !== 'sequence') return ask(gateway, plan, frame);
  const first = await ask(gateway, plan.first, frame);
  const step = plan.next(first);
  const reply = 'status' in step ? step : await carryOut(gateway, step, frame);
  return plan.stays && first.status < 300 ? { ...reply, partly: true } : reply;
}

/** The caller's key if this gateway knows it already; nobody is asked. */
function recallKey(gateway: Gateway, incoming: Incoming): KnownKey | null {
  const key = readKey(incoming.authorization, incoming.apiKey);
  const ids = gateway.installation.current();
  return key !== null && ids ? recall(gateway, ids, key) : null;
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
  const stranger = { requestId: incoming.requestId, address: peerOf(incoming.remoteAddress()) };
  const ids = current ?? (await gateway.installation.wait(ASK_DEADLINE_MS));
  return authenticate(gateway, stranger, ids.digest(key));
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
  const { strangers } = gateway.bodies;
  let bytes: Buffer = NOTHING;
  if (route.method === 'POST') {
    const reader = incoming.body(NETWORK_WEBHOOK_MAX_BYTES, strangers);
    const body = await reader.read(gateway.clock, incoming.close);
    if (body.kind !== 'whole') return bodyRefusal(body);
    bytes = body.bytes;
  }
  const commandId = gateway.freshId('cmd');
  const plan = route.plan({ commandId, params, query, headers, bytes });
  const frame = { requestId, whenDisconnected: 'fault', orgId: '' } as const;
  const reply = await strangers.keeping(bytes.length, () => ask(gateway, plan, frame));
  return reply ?? { ...refusalReply(failure('fault')), close: true };
}
