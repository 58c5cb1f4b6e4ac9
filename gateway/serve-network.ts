/**
 * A network's request on its way: known channel → form of the signature → budget → read body → ask
 * the channel's owner, who verifies. Before the budget is passed no body is read.
 *
 * 1. Refusals that the network is to repeat are 503 with `Retry-After`: nothing of it is lost.
 * 2. A large body is asked once. Its repeat after 500 ms without an answer would be another copy for
 *    an owner that is late because of the copies.
 */
import { type Failure, failure } from '../shared/failures.ts';
import { NETWORK_LARGE_BYTES, NETWORK_WEBHOOK_MAX_BYTES } from '../shared/limits.ts';
import { signatureIn } from '../shared/network-signature.ts';
import { AskFailed } from '../shared/ports/bus.ts';
import { ask } from './execute.ts';
import type { Gateway, Incoming } from './gateway.ts';
import type { BodyReader } from './http/read-body.ts';
import { type Reply, refusalReply } from './http/respond.ts';
import { bodyRefusal, NO_BODY } from './keyed-call.ts';
import type { NetworkRoute, Params, Plan } from './route.ts';
import type { EndBody } from './throttling/network-throttle.ts';
import { peerOf } from './throttling/peer.ts';

interface Posted {
  readonly channelId: string;
  readonly requestId: string;
  readonly length: number | undefined;
  readonly peer: string;
  readonly isSigned: boolean;
  readonly planOf: (bytes: Buffer) => Plan;
}

/** The reply, or null when the peer has gone. */
export async function serveNetwork(
  gateway: Gateway,
  incoming: Incoming,
  [route, params]: readonly [NetworkRoute, Params],
): Promise<Reply | null> {
  const { query, requestId } = incoming;
  const headers = incoming.headers();
  const commandId = gateway.freshId('cmd');
  const planOf = (bytes: Buffer): Plan => route.plan({ commandId, params, query, headers, bytes });
  if (route.method === 'GET') return askOwner(gateway, planOf(NO_BODY.bytes), requestId);
  if (!gateway.bus.connected()) return refusalReply(failure('fault'));
  const { provider } = route;
  return receive(gateway, incoming, provider, {
    ...{ requestId, planOf },
    channelId: params.channelId ?? '',
    length: lengthOf(headers['content-length']),
    peer: peerOf(incoming.remoteAddress()),
    isSigned: signatureIn(provider, (name) => headers[name]) !== undefined,
  });
}

function lengthOf(header = ''): number | undefined {
  return /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

async function receive(
  gateway: Gateway,
  incoming: Incoming,
  provider: NetworkRoute['provider'],
  posted: Posted,
): Promise<Reply | null> {
  const { networkThrottle, bodies } = gateway;
  const { channelId, requestId } = posted;
  const begin = () => incoming.body(NETWORK_WEBHOOK_MAX_BYTES, bodies.unauthenticated);
  let orgId = networkThrottle.remembered(channelId, provider);
  let reader: BodyReader | null = null;
  if (orgId === undefined) {
    // What has come with the head is kept, the rest waits in the connection.
    reader = begin();
    orgId = await incoming.whilePaused(() => networkThrottle.find(channelId, provider, requestId));
  }
  if (orgId === null) return refusalReply(failure('channel_not_found'));
  if (!posted.isSigned) return refuseUnsigned(gateway, posted);
  const end = networkThrottle.begin(posted.peer, channelId, posted.length);
  if (typeof end === 'number') return putOff(end);
  return readAndAsk(gateway, incoming, { ...posted, orgId, end, reader: reader ?? begin() });
}

/** Now and then the owner refuses it, for its log and `doctor`; it needs no body for that. */
async function refuseUnsigned(
  gateway: Gateway,
  { channelId, planOf, requestId }: Posted,
): Promise<Reply> {
  const { networkThrottle } = gateway;
  if (!networkThrottle.isToReport(channelId)) return refusalReply(failure('bad_signature'));
  const reply = await askOwner(gateway, planOf(NO_BODY.bytes), requestId);
  if (reply.status === 404) networkThrottle.forget(channelId);
  return reply;
}

interface Read extends Posted {
  readonly orgId: string;
  readonly reader: BodyReader;
  readonly end: EndBody;
}

async function readAndAsk(
  gateway: Gateway,
  incoming: Incoming,
  { reader, end, channelId, orgId, planOf, requestId }: Read,
): Promise<Reply | null> {
  let status = 0;
  try {
    const body = await reader.read(gateway.clock, incoming.close);
    if (body.kind !== 'whole') return bodyRefusal(body);
    const { bytes } = body;
    const asked = () =>
      bytes.length > NETWORK_LARGE_BYTES
        ? askLarge(gateway, planOf(bytes), { orgId, requestId })
        : askOwner(gateway, planOf(bytes), requestId);
    const reply = await gateway.bodies.unauthenticated.withReserved(bytes.length, asked);
    if (reply === null) return { ...refusalReply(failure('fault')), close: true };
    status = reply.status;
    if (status === 404) gateway.networkThrottle.forget(channelId);
    return reply;
  } finally {
    end(status !== 401);
  }
}

async function askLarge(
  gateway: Gateway,
  plan: Plan,
  { orgId, requestId }: Pick<Read, 'orgId' | 'requestId'>,
): Promise<Reply> {
  const endTurn = await gateway.networkThrottle.turnOfLarge(orgId);
  if (endTurn === null) return putOff(1);
  try {
    return await askOwner(gateway, plan.to === 'actor' ? { ...plan, once: true } : plan, requestId);
  } catch (cause) {
    if (!(cause instanceof AskFailed)) throw cause;
    gateway.log.warn({ cause, requestId }, 'a large webhook was not answered');
    return putOff(1);
  } finally {
    endTurn();
  }
}

function askOwner(gateway: Gateway, plan: Plan, requestId: string): Promise<Reply> {
  return ask(gateway, plan, { requestId, whenDisconnected: 'fault', orgId: '' });
}

function putOff(retryAfterSeconds: number): Reply {
  const refusal: Failure = { kind: 'unavailable', retryAfterSeconds };
  return refusalReply(refusal);
}
