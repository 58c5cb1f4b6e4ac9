/**
 * One message of the Model Context Protocol on its way through the stages: origin → authenticate →
 * read body → read message → execute → reply. A message that calls no tool is only admitted.
 *
 * 1. Each message is one call of its key: a tool's is its row's call (D260).
 * 2. Refusals come in the order of the API: the origin's 403, 401, 429, 413, then the message's.
 * 3. No session is kept: any gateway answers any message.
 */
import { failure } from '../../shared/failures.ts';
import { admit } from '../authenticate.ts';
import type { Gateway, Incoming, RequestLog } from '../gateway.ts';
import { type Reply, refusalReply } from '../http/respond.ts';
import { executeRow, type ReceivedCall, type RowRequest, receiveCall } from '../keyed-call.ts';
import { type McpNotification, type McpRequest, readMessage } from './message.ts';
import { answerOf, complete } from './methods.ts';
import { readToolCall, toolResultOf } from './tool-call.ts';

const ROUTE = { body: 'a message', whenDisconnected: 'fault' } as const;

interface McpCall extends Pick<ReceivedCall, 'key' | 'ids' | 'address'> {
  readonly requestId: string;
  readonly requestLog: RequestLog;
}

/** The reply, or null when the peer has gone. */
export async function serveMcp(
  gateway: Gateway,
  incoming: Incoming,
  requestLog: RequestLog,
): Promise<Reply | null> {
  const headers = incoming.headers();
  const { origin } = headers;
  if (origin !== undefined && origin !== gateway.publicOrigin) {
    return refusalReply(failure('other_origin'));
  }
  const received = await receiveCall(gateway, incoming, { route: ROUTE, requestLog });
  if (received === null || 'status' in received) return received;
  const { bytes } = received;
  const message = 'status' in bytes ? bytes : readMessage(bytes, headers);
  const call: McpCall = { ...received, requestId: incoming.requestId, requestLog };
  if (!isToolCall(message)) return answerAdmitted(gateway, call, message);
  const row = readToolCall(message);
  if ('status' in row) return answerAdmitted(gateway, call, row);
  return callTool(gateway, call, [message, row]);
}

function isToolCall(message: McpRequest | McpNotification | Reply): message is McpRequest {
  return 'method' in message && message.method === 'tools/call';
}

/** An answer that needs nothing but the caller; also a refusal of the message. */
async function answerAdmitted(
  gateway: Gateway,
  { key, requestId, requestLog }: McpCall,
  message: McpRequest | McpNotification | Reply,
): Promise<Reply> {
  const admitted = await admit(gateway, key, { requestId });
  const { rates } = admitted;
  if ('refusal' in admitted) {
    const refused = refusalReply(admitted.refusal);
    return rates ? { ...refused, rates } : refused;
  }
  const { caller } = admitted;
  requestLog.keyPrefix = caller.keyPrefix;
  const reply = 'status' in message ? message : answerOf(message, caller);
  return rates ? { ...reply, rates } : reply;
}

async function callTool(
  gateway: Gateway,
  call: McpCall,
  [request, row]: readonly [McpRequest, RowRequest],
): Promise<Reply> {
  const { requestLog } = call;
  requestLog.operationId = row.route.operationId;
  requestLog.via = 'mcp';
  const answered = await executeRow(gateway, call, row);
  const result = await toolResultOf(row, answered);
  if ('status' in result) return result;
  requestLog.toolStatus = result.toolStatus;
  const { rates } = answered;
  const reply = complete(request, result.result);
  return rates ? { ...reply, rates } : reply;
}
