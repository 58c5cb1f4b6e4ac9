/**
 * Stages of a call with a key, in order: authenticate → read body → execute. A row of the API and
 * a tool of `/mcp` (`mcp/serve.ts`) run through the same.
 *
 * 1. Everything of the request itself is read before the first `await`: the server forgets it.
 * 2. A refusal of the body waits until the call is admitted: 401 and 429 come first.
 */
import { type FailureKind, failure } from '../shared/failures.ts';
import { ASK_DEADLINE_MS, BODY_MAX_BYTES, UPLOAD_BODY_MS } from '../shared/limits.ts';
import type { Ids } from '../shared/ports/ids.ts';
import { actingAs, actingAssistant } from './acting.ts';
import { findKnownKey, identify } from './authenticate.ts';
import { execute } from './execute.ts';
import type { Gateway, Incoming, KnownKey, RequestLog } from './gateway.ts';
import { FILE_NAME_HEADER, type FileHead } from './http/file-head.ts';
import type { Body, BodyReader } from './http/read-body.ts';
import { type Reply, refusalReply } from './http/respond.ts';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';
import { withIgnored } from './ignored-names.ts';
import type { ApiRequest, ApiRoute, Params } from './route.ts';
import { peerOf } from './throttling/peer.ts';
import { type ParsedBody, type ParsedQuery, parseBody } from './validate.ts';

const NOTHING: Buffer = Buffer.alloc(0);
export const NO_BODY: ParsedBody = { object: null, bytes: NOTHING };

/** The parts of a row that decide how its call is received. */
interface ReceivingRoute {
  /** Null where there is none. */
  readonly body: unknown;
  /** Where the body is a file. */
  readonly rawMaxBytes?: number;
  /** The refusal while there is no connection. */
  readonly whenDisconnected: FailureKind;
}

/** A call whose key is known and whose body was read. */
export interface ReceivedCall {
  readonly key: KnownKey;
  /** Empty where the row takes no body. */
  readonly bytes: Buffer | Reply;
  /** Of a row whose body is a file. */
  readonly file: FileHead | undefined;
  /** The `Idempotency-Key` as sent. */
  readonly header: string | undefined;
  readonly ids: Ids;
  /** Of the peer; empty for a key that is known to be of a program. */
  readonly address: string;
}

/** The received call, its refusal, or null when the peer has gone. */
export async function receiveCall(
  gateway: Gateway,
  incoming: Incoming,
  { route, requestLog }: { readonly route: ReceivingRoute; readonly requestLog: RequestLog },
): Promise<ReceivedCall | Reply | null> {
  const { whenDisconnected } = route;
  const known = findKnownKey(gateway, incoming);
  const address = isOfProgram(known) ? '' : peerOf(incoming.remoteAddress());
  const begun = beginBody(gateway, incoming, { route, isKnown: known !== null });
  const { reader, header, file } = begun;
  const key = known ?? (await identify(gateway, incoming, whenDisconnected));
  if ('kind' in key) return refusalReply(key);
  requestLog.orgId = key.orgId;
  if (key.caller) requestLog.keyPrefix = key.caller.keyPrefix;
  if (!gateway.bus.connected()) return refusalReply(failure(whenDisconnected));
  const withinMs = file && UPLOAD_BODY_MS;
  const bytes = reader ? await readBytes(gateway, incoming, reader, withinMs) : NOTHING;
  if (bytes === null) return null;
  const ids = gateway.installation.current() ?? (await gateway.installation.wait(ASK_DEADLINE_MS));
  return { key, bytes, file, header, ids, address };
}

/** The address is read for the audit log, which has no entries of programs. */
function isOfProgram(key: KnownKey | null): boolean {
  return key?.caller != null && key.caller.assistant !== true;
}

/** A request of a row, from HTTP's own parts or from the arguments of a tool. */
export interface RowRequest {
  readonly route: ApiRoute;
  /** With the parameters in place. */
  readonly path: string;
  readonly params: Params;
  /** Of the query string, or of a tool's arguments. */
  readonly query: ParsedQuery;
  readonly body: ParsedBody | Reply;
  /** The `Idempotency-Key` as sent. */
  readonly header: string | undefined;
  /** The `Last-Event-ID` of a call that opens a stream. */
  readonly lastEventId?: string | undefined;
}

/** @throws when no owner answers in time */
export async function executeRow(
  gateway: Gateway,
  call: Pick<ReceivedCall, 'key' | 'ids' | 'address'> & {
    readonly requestId: string;
    readonly requestLog: RequestLog;
  },
  { route, path, params, query, body, header, lastEventId }: RowRequest,
): Promise<Reply> {
  const { key, requestId, requestLog, address } = call;
  const { whenDisconnected, isUncounted, operationId: operation } = route;
  const reply = await execute(gateway, {
    ...{ key, body, header, ids: call.ids },
    route: `${route.method} ${path}`,
    frame: { requestId, orgId: key.orgId, whenDisconnected, isUncounted, lastEventId },
    prepare: (caller, given, made) => {
      const wanted = route.prepare({ caller, ...made, params, query, ...partsOf(given) });
      const by = route.method === 'GET' ? null : actingAssistant(caller, { operation, address });
      return by ? actingAs(by, wanted) : wanted;
    },
    onAdmitted: ({ keyPrefix }) => {
      requestLog.keyPrefix = keyPrefix;
    },
  });
  if (route.isRecorded) {
    const { caller } = key;
    gateway.inboundCalls?.record({ channelId: params.id ?? '', requestId, caller, body, reply });
  }
  return 'status' in body ? reply : withIgnored(route, { query, body: body.object }, reply);
}

/** The body as a row takes it: a JSON object, or a file. */
export function partsOf({
  object: body,
  bytes,
  file,
}: ParsedBody): Pick<ApiRequest, 'body' | 'file'> {
  return { body, ...(file ? { file: { ...file, bytes } } : {}) };
}

interface BeginningBody {
  readonly reader: BodyReader | null;
  readonly file?: FileHead;
  /** The `Idempotency-Key` as sent. */
  readonly header: string | undefined;
}

/** Starts to collect the body, within the budget of known or of unknown callers. */
export function beginBody(
  { bodies, uploads }: Gateway,
  incoming: Incoming,
  { route, isKnown }: { readonly route: BegunRoute; readonly isKnown: boolean },
): BeginningBody {
  const { body, rawMaxBytes } = route;
  if (!body && rawMaxBytes === undefined) return { reader: null, header: undefined };
  const budgets = rawMaxBytes === undefined ? bodies : uploads;
  const budget = isKnown ? budgets.callers : budgets.unauthenticated;
  const reader = incoming.body(rawMaxBytes ?? BODY_MAX_BYTES, budget);
  const headers = incoming.headers();
  const { [IDEMPOTENCY_HEADER]: header, 'content-type': contentType = '' } = headers;
  if (rawMaxBytes === undefined) return { reader, header };
  return { reader, header, file: { contentType, name: headers[FILE_NAME_HEADER] ?? '' } };
}

type BegunRoute = Pick<ReceivingRoute, 'body' | 'rawMaxBytes'>;

/** The body's bytes, a refusal of it, or null when the peer has gone. */
async function readBytes(
  gateway: Gateway,
  incoming: Incoming,
  reader: BodyReader,
  withinMs?: number,
): Promise<Buffer | Reply | null> {
  const body = await reader.read(gateway.clock, incoming.close, withinMs);
  return body.kind === 'whole' ? body.bytes : bodyRefusal(body);
}

/** The body's object or file, a refusal of it, or null when the peer has gone. */
export async function readBody(
  gateway: Gateway,
  incoming: Incoming,
  { reader, file }: { readonly reader: BodyReader; readonly file?: FileHead | undefined },
): Promise<ParsedBody | Reply | null> {
  const bytes = await readBytes(gateway, incoming, reader, file && UPLOAD_BODY_MS);
  if (!bytes || 'status' in bytes || !file) return bytes && objectOf(bytes);
  return { object: null, bytes, file };
}

/** The object that the bytes mean, or a refusal of them. */
function objectOf(bytes: Buffer | Reply): ParsedBody | Reply {
  if ('status' in bytes) return bytes;
  const parsed = parseBody(bytes);
  return 'refusal' in parsed ? refusalReply(parsed.refusal) : parsed;
}

/** The body of a row's call; one that is left out counts as an empty object where that may be. */
export function bodyFor(
  { body, mayOmitBody = false }: Pick<ApiRoute, 'body' | 'mayOmitBody'>,
  { bytes, file }: Pick<ReceivedCall, 'bytes' | 'file'>,
): ParsedBody | Reply {
  if (file) return 'status' in bytes ? bytes : { object: null, bytes, file };
  if (body === null) return NO_BODY;
  if ('status' in bytes || bytes.length > 0 || !mayOmitBody) return objectOf(bytes);
  return { object: {}, bytes };
}

export function bodyRefusal(body: Exclude<Body, { kind: 'whole' }>): Reply | null {
  if (body.kind === 'gone') return null;
  if (body.kind === 'overload') return { ...refusalReply(failure('fault')), close: true };
  return { ...refusalReply(failure('body_too_large')), close: !body.drained };
}

/** Runs the call; a file counts among all that are in memory until it is answered. */
export async function whileHeld(
  { uploads }: Gateway,
  body: ParsedBody | Reply,
  run: () => Promise<Reply>,
): Promise<Reply> {
  if ('status' in body || !body.file) return run();
  const reply = await uploads.callers.withReserved(body.bytes.length, run);
  return reply ?? refusalReply(failure('overloaded'));
}
