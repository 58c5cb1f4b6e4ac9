/**
 * One request on its way through the stages: route → shed load → authenticate → read body →
 * execute (validate and scope by the row's `prepare`, admit, ask) → reply.
 *
 * 1. Refusals come in that order: 404, 405, 401, 429, 413 or 400, 422, then 403, 404, 409.
 * 2. Everything of the request itself is read before the first `await`: the server forgets it.
 * 3. Beyond capacity a caller is refused before anything else is read (`bus.ts`).
 * 4. Faults become one 500 here, with their cause in the log and nothing of it in the answer.
 */

import { failure } from '../shared/failures.ts';
import { ID_MAX_CHARS } from '../shared/limits.ts';
import { LOG_EVENT } from '../shared/log-events.ts';
import type { Gateway, Incoming, RequestLog } from './gateway.ts';
import { type Reply, refusalReply } from './http/respond.ts';
import { bodyFor, executeRow, receiveCall, whileHeld } from './keyed-call.ts';
import { serveMcp } from './mcp/serve.ts';
import type { ApiRoute, OpenRequest, Params } from './route.ts';
import { findRoute } from './routes.ts';
import { serveNetwork } from './serve-network.ts';

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
      return await route.answer(gateway, openRequest(incoming, params));
    }
    if (route.entrance === 'api' && route.opensStream) {
      return await serveStream(gateway, incoming, { route, params, requestLog });
    }
    if (gateway.loadShedder.isOverloaded(route.entrance)) return shed(gateway);
    if (route.entrance === 'network') return await serveNetwork(gateway, incoming, [route, params]);
    if (route.entrance === 'mcp') return await serveMcp(gateway, incoming, requestLog);
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

export function openRequest(incoming: Incoming, params: Params): OpenRequest {
  const { requestId } = incoming;
  return { requestId, params, headers: () => incoming.headers() };
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
  { route, params, requestLog, lastEventId }: ApiMatch,
): Promise<Reply | null> {
  const { path, requestId } = incoming;
  const query = route.readQuery(incoming.query);
  const received = await receiveCall(gateway, incoming, { route, requestLog });
  if (received === null || 'status' in received) return received;
  const { header } = received;
  const body = bodyFor(route, received);
  const request = { route, path, params, query, body, header, lastEventId };
  return whileHeld(gateway, body, () =>
    executeRow(gateway, { ...received, requestId, requestLog }, request),
  );
}
