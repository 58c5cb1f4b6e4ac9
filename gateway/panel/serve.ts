/**
 * One request of the panel on its way through the stages: route → shed load → origin → authenticate
 * → read body → role, validate, admit and ask → reply.
 *
 * 1. The rows of the public API are served by the session's cookie; an API key is no way in.
 * 2. A changing call from another origin is refused before anything of it is read.
 * 3. The role is checked with the caller that the organization's owner admits, so that a changed
 *    role counts at once.
 * 4. A page names its session in changing calls. With another one's cookie it changes nothing.
 */
import { type Failure, failure } from '../../shared/failures.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import { isAllowed } from '../../shared/panel/roles.ts';
import type { Caller } from '../../shared/wire/caller.ts';
import { actingAs, actingPerson } from '../acting.ts';
import { admit } from '../authenticate.ts';
import { type ApiCall, execute } from '../execute.ts';
import type { Incoming, RequestLog } from '../gateway.ts';
import { type Reply, refusalReply } from '../http/respond.ts';
import { beginBody, NO_BODY, partsOf, readBody, whileHeld } from '../keyed-call.ts';
import type { ApiRoute, OpenRoute, Params } from '../route.ts';
import { openRequest } from '../serve.ts';
import type { ParsedBody } from '../validate.ts';
import { identifyPerson, isKnownSession, type PersonCall, rememberPerson } from './authenticate.ts';
import { clientAddress } from './client-address.ts';
import { revalidated } from './media-cache.ts';
import { isOwnCall } from './origin.ts';
import type { Panel, PanelRoute, PersonKey, SessionRoute, SignInRoute } from './panel.ts';
import { findPanelRoute } from './routes.ts';
import { withSecurityHeaders } from './security-headers.ts';

const SESSION_HEADER = 'x-recado-session';

/** The reply, or null when the peer has gone. */
export async function servePanel(
  panel: Panel,
  incoming: Incoming,
  requestLog: RequestLog,
): Promise<Reply | null> {
  const { gateway } = panel;
  try {
    const reply = await answer(panel, incoming, requestLog);
    return reply && withSecurityHeaders(reply);
  } catch (cause) {
    const { requestId } = incoming;
    const fields = { cause, requestId, operation: requestLog.operationId };
    gateway.log.error(fields, LOG_EVENT.requestFailed);
    return withSecurityHeaders(refusalReply(failure('fault')));
  }
}

async function answer(
  panel: Panel,
  incoming: Incoming,
  requestLog: RequestLog,
): Promise<Reply | null> {
  const { method, path } = incoming;
  const found = findPanelRoute(method, path);
  if (!found) return assetReply(panel, incoming);
  if ('allow' in found) {
    return { ...refusalReply(failure('method_not_allowed')), headers: { allow: found.allow } };
  }
  const { route, params } = found;
  requestLog.operationId = route.operationId;
  const { gateway } = panel;
  if (route.entrance === 'open') return route.answer(gateway, openRequest(incoming, params));
  if (gateway.loadShedder.isOverloaded('api')) return refusalReply(failure('overloaded'));
  const headers = incoming.headers();
  if (route.method !== 'GET' && !isOwnCall(headers, panel.origins)) {
    return refusalReply(failure('foreign_origin'));
  }
  const remote = incoming.remoteAddress();
  panel.untrustedProxy.watch(remote, headers);
  const forwarded = headers['x-forwarded-for'] ?? '';
  const address = clientAddress(remote, forwarded, panel.isTrustedProxy);
  const isKnown = isKnownCall(panel, headers);
  const { reader, header, file } = beginBody(gateway, incoming, { route, isKnown });
  const ids = gateway.installation.current() ?? (await gateway.installation.wait(ASK_DEADLINE_MS));
  const { query, requestId } = incoming;
  const call = { ids, headers, query, address, requestId };
  const key = route.entrance === 'sign-in' ? null : await identifyPerson(panel, call);
  if (key && 'kind' in key) return refusalReply(key);
  if (!gateway.bus.connected()) return refusalReply(failure('fault'));
  const body = reader ? await readBody(gateway, incoming, { reader, file }) : NO_BODY;
  if (body === null) return null;
  const matched: Matched = { panel, call, params, body, header, requestLog, incoming };
  return whileHeld(gateway, body, () => serveRow(matched, route, key));
}

/** Strangers must not use the room of sessions. */
function isKnownCall(panel: Panel, { cookie = '' }: PersonCall['headers']): boolean {
  const ids = panel.gateway.installation.current();
  return ids !== null && isKnownSession(panel, ids, cookie);
}

interface Matched {
  readonly panel: Panel;
  readonly call: PersonCall;
  readonly params: Params;
  /** A refusal of the body waits until the call is admitted. */
  readonly body: ParsedBody | Reply;
  readonly header: string | undefined;
  readonly requestLog: RequestLog;
  readonly incoming: Incoming;
}

type AskedRoute = Exclude<PanelRoute, OpenRoute>;

function serveRow(matched: Matched, route: AskedRoute, key: PersonKey | null): Promise<Reply> {
  if (route.entrance === 'sign-in') return serveSignIn(matched, route);
  if (!key) throw new Error('a row of a session was served without one');
  if (route.entrance === 'session') return serveSession(matched, route, key);
  return serveApi(matched, route, key);
}

/** An address has so many attempts a minute; one that signs in is given back by its row. */
async function serveSignIn(matched: Matched, route: SignInRoute): Promise<Reply> {
  const { panel, call, body } = matched;
  const waitSeconds = panel.attempts.tryConsume(call.address);
  if (waitSeconds > 0) {
    return refusalReply({ kind: 'rate_limited', retryAfterSeconds: waitSeconds });
  }
  if ('status' in body) return body;
  return route.answer(panel, requestOf(matched, body));
}

async function serveSession(
  matched: Matched,
  route: SessionRoute,
  named: PersonKey,
): Promise<Reply> {
  const { panel, call, body, requestLog } = matched;
  let key = named;
  let caller: Caller | null = null;
  if (key.orgId !== '') {
    const admitted = await admit(panel.gateway, key, call);
    if ('caller' in admitted) {
      ({ caller } = admitted);
      rememberPerson(panel, key, call.address);
      logCaller(requestLog, caller);
    } else if (admitted.refusal.kind === 'organization_not_found') {
      // The operator signs out, and chooses another one, all the same.
      key = { ...named, orgId: '' };
    } else return refusalReply(admitted.refusal);
  }
  const refusal = refuseOther(call, caller?.member?.sessionId ?? key.digest);
  if (refusal) return refusalReply(refusal);
  const role = caller?.member?.role ?? 'operator';
  if (!isAllowed(role, route.operationId)) return refusalReply(failure('not_allowed'));
  if ('status' in body) return body;
  return route.answer(panel, requestOf(matched, body), { key, caller });
}

async function serveApi(matched: Matched, route: ApiRoute, key: PersonKey): Promise<Reply> {
  const { panel, call, params, body, header, requestLog, incoming } = matched;
  if (key.orgId === '') return refusalReply(failure('organization_not_found'));
  const query = route.readQuery(incoming.query);
  const prepare: ApiCall['prepare'] = (caller, given, made) => {
    const other = refuseOther(call, caller.member?.sessionId ?? key.digest);
    const refusal = other ?? refuseRole(caller, route);
    if (refusal) return { to: 'caller', refusal };
    const wanted = route.prepare({ caller, ...made, params, query, ...partsOf(given) });
    if (route.method === 'GET') return wanted;
    const { operationId: operation } = route;
    return actingAs(actingPerson(caller, { operation, address: call.address }), wanted);
  };
  const { whenDisconnected } = route;
  const reply = await execute(panel.gateway, {
    ...{ key, body, ids: call.ids, prepare },
    header: route.answersSecret ? undefined : header,
    route: `${incoming.method} ${incoming.path}`,
    frame: { requestId: call.requestId, orgId: key.orgId, whenDisconnected },
    onAdmitted: (caller) => {
      rememberPerson(panel, key, call.address);
      logCaller(requestLog, caller);
    },
  });
  if (route.operationId !== 'getMedia') return reply;
  return revalidated(reply, params.id ?? '', call.headers['if-none-match']);
}

/** Someone may have signed in from another tab of the browser meanwhile. */
function refuseOther({ headers }: PersonCall, sessionId: string): Failure | null {
  const named = headers[SESSION_HEADER];
  return named === undefined || named === sessionId ? null : failure('other_session');
}

function refuseRole({ member }: Caller, { operationId }: ApiRoute): Failure | null {
  return member && isAllowed(member.role, operationId) ? null : failure('not_allowed');
}

function logCaller(requestLog: RequestLog, caller: Caller): void {
  requestLog.orgId = caller.orgId;
  requestLog.keyPrefix = caller.keyPrefix;
}

function requestOf({ call, params }: Matched, { object, bytes }: ParsedBody) {
  return { ...call, params, body: object ?? {}, bytes };
}

function assetReply({ assets }: Panel, { method, path, headers }: Incoming): Reply {
  const isOwn = path.startsWith('/api/') || path.startsWith('/panel/');
  const asset = isOwn ? null : assets.find(path, headers()['accept-encoding'] ?? '');
  if (!asset) return refusalReply(failure('route_not_found'));
  if (method !== 'GET' && method !== 'HEAD') {
    return { ...refusalReply(failure('method_not_allowed')), headers: { allow: 'GET, HEAD' } };
  }
  return { status: 200, body: '', ...asset };
}
