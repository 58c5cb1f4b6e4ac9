/**
 * Reads one message of the Model Context Protocol, with the headers that mirror it.
 *
 * 1. Revision 2026-07-28 names itself in each request's `_meta`, and its headers repeat parts of
 *    the body. A difference is refused, so that a proxy and this gateway read the same.
 * 2. Earlier revisions agree on a version in `initialize` and send it as a header from then on.
 *    Nothing is kept of that: a request without the header is read as theirs.
 * 3. An unknown version is refused with the known ones.
 */
import { isPlainObject } from '../../shared/api/fields.ts';
import type { Reply } from '../http/respond.ts';
import { parseJson } from '../validate.ts';
import { errorReply, type RpcId } from './json-rpc.ts';

const MODERN_VERSION = '2026-07-28';
/** With the handshake, the newest first. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18'] as const;
export const VERSIONS: readonly string[] = [MODERN_VERSION, ...HANDSHAKE_VERSIONS];

const META = 'io.modelcontextprotocol/';
const VERSION_META = `${META}protocolVersion`;
const CAPABILITIES_META = `${META}clientCapabilities`;
export const SERVER_META = `${META}serverInfo`;
const VERSION_HEADER = 'mcp-protocol-version';
const METHOD_HEADER = 'mcp-method';
const NAME_HEADER = 'mcp-name';
const NOTIFICATION = 'notifications/';
const ENCODED = /^=\?base64\?(.*)\?=$/;

type Values = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

/** A request under the rules of its revision. */
export interface McpRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Values;
  /** Revision 2026-07-28; else an earlier one. */
  readonly modern: boolean;
}

/** Nothing follows from it. */
export interface McpNotification {
  readonly id: null;
}

/** The message, or the refusal of it. */
export function readMessage(bytes: Buffer, headers: Headers): McpRequest | McpNotification | Reply {
  const value = parseJson(bytes);
  if (value === undefined) return errorReply(null, 'badJson');
  if (Array.isArray(value)) return errorReply(null, 'batch');
  if (!isPlainObject(value)) return errorReply(null, 'notMessage');
  const { jsonrpc, id = null, method, params = {} } = value;
  if (jsonrpc !== '2.0' || typeof method !== 'string') return errorReply(null, 'notMessage');
  if ('id' in value && !isRpcId(id)) return errorReply(null, 'notMessage');
  const requested = headers[VERSION_HEADER];
  if (requested !== undefined && !VERSIONS.includes(requested)) {
    return errorReply(isRpcId(id) ? id : null, 'unknownVersion', {
      supported: VERSIONS,
      requested,
    });
  }
  if (!isRpcId(id)) {
    return method.startsWith(NOTIFICATION) ? { id: null } : errorReply(null, 'idMissing');
  }
  if (!isPlainObject(params)) return errorReply(id, 'paramsExpected');
  return readRequest({ id, method, params }, headers);
}

function isRpcId(id: unknown): id is RpcId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function readRequest(request: Omit<McpRequest, 'modern'>, headers: Headers): McpRequest | Reply {
  const { id, method, params } = request;
  const meta = isPlainObject(params._meta) ? params._meta : {};
  const version = meta[VERSION_META];
  const header = headers[VERSION_HEADER];
  if (version === undefined && header !== MODERN_VERSION) return { ...request, modern: false };
  if (typeof version !== 'string') return errorReply(id, 'metaExpected');
  if (version !== header) return errorReply(id, 'headerMismatch');
  if (version !== MODERN_VERSION) return { ...request, modern: false };
  if (!isPlainObject(meta[CAPABILITIES_META])) return errorReply(id, 'metaExpected');
  const isMirrored = headers[METHOD_HEADER] === method && mirrorsName(request, headers);
  return isMirrored ? { ...request, modern: true } : errorReply(id, 'headerMismatch');
}

function mirrorsName({ method, params }: Omit<McpRequest, 'modern'>, headers: Headers): boolean {
  if (method !== 'tools/call') return true;
  const header = headers[NAME_HEADER] ?? '';
  const encoded = ENCODED.exec(header)?.[1];
  const name = encoded === undefined ? header : Buffer.from(encoded, 'base64').toString('utf8');
  return name === params.name;
}
