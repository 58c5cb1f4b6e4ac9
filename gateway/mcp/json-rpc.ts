/**
 * JSON-RPC 2.0 as the Model Context Protocol uses it over HTTP. A request has one message, and an
 * id is a text or an integer. Errors of the message itself have an HTTP status of their own.
 */
import { RPC_SENTENCES } from '../../shared/api/sentences.ts';
import { FAILURES } from '../../shared/failures.ts';
import { jsonReply, type Reply } from '../http/respond.ts';

export type RpcId = string | number;

/** Error → code → HTTP status. An error in 200 is an answer of its method. */
const ERRORS = {
  badJson: { code: -32700, status: 400, message: FAILURES.bad_json.sentence },
  batch: { code: -32600, status: 400, message: RPC_SENTENCES.batch },
  notMessage: { code: -32600, status: 400, message: RPC_SENTENCES.notMessage },
  idMissing: { code: -32600, status: 400, message: RPC_SENTENCES.idMissing },
  unknownMethod: { code: -32601, status: 200, message: RPC_SENTENCES.unknownMethod },
  /** The same under revision 2026-07-28. */
  absentMethod: { code: -32601, status: 404, message: RPC_SENTENCES.unknownMethod },
  paramsExpected: { code: -32602, status: 200, message: RPC_SENTENCES.paramsExpected },
  versionExpected: { code: -32602, status: 200, message: RPC_SENTENCES.versionExpected },
  unknownTool: { code: -32602, status: 200, message: RPC_SENTENCES.unknownTool },
  unknownCursor: { code: -32602, status: 200, message: RPC_SENTENCES.unknownCursor },
  badArguments: { code: -32602, status: 200, message: RPC_SENTENCES.badArguments },
  metaExpected: { code: -32602, status: 400, message: RPC_SENTENCES.metaExpected },
  headerMismatch: { code: -32020, status: 400, message: RPC_SENTENCES.headerMismatch },
  unknownVersion: { code: -32022, status: 400, message: RPC_SENTENCES.unknownVersion },
} as const;

export type RpcError = keyof typeof ERRORS;

/** @param id null where the message has none that can be read: the answer then has none */
export function errorReply(id: RpcId | null, error: RpcError, data?: unknown): Reply {
  const { code, status, message } = ERRORS[error];
  return jsonReply(status, {
    jsonrpc: '2.0',
    ...(id === null ? {} : { id }),
    error: { code, message, ...(data === undefined ? {} : { data }) },
  });
}

export function resultReply(id: RpcId, result: Readonly<Record<string, unknown>>): Reply {
  return jsonReply(200, { jsonrpc: '2.0', id, result });
}
