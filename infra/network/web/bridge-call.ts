/**
 * Calls to the QR bridge (WAHA's HTTP API): sending a text and asking for the session.
 *
 * 1. The bridge takes no message id of ours: an answer lost after the request was written is
 *    `unknown`, and only the chat's own messages can tell.
 * 2. A session that does not work is `later` for the whole channel, never a failed message.
 */
import type {
  NetworkChannel,
  OutboundText,
  Readiness,
  SendOutcome,
} from '../../../shared/network.ts';
import type { HttpCaller } from '../http-caller.ts';
import { isRecord, type JsonRecord, parseRecord, recordAt, textAt } from '../json-shape.ts';
import { outcomeOfError, sessionReason } from './errors.ts';

const TIMEOUT_MS = 10_000;
const CONNECT_WAIT_MS = 2_000;
const MISCONFIGURED_WAIT_MS = 60_000;

export interface BridgeCaller {
  readonly http: HttpCaller;
  readonly resolveBaseUrl: (baseUrl: string | undefined) => string;
}

/** Sends; resolves with the outcome and never rejects. */
export async function sendText(
  caller: BridgeCaller,
  channel: NetworkChannel,
  message: OutboundText,
): Promise<SendOutcome> {
  const missing = missingSetting(channel);
  if (missing !== null) {
    const waitMs = MISCONFIGURED_WAIT_MS;
    return { outcome: 'later', scope: 'account', waitMs, channelReason: missing };
  }
  const answer = await caller.http.call({
    method: 'POST',
    url: `${base(caller, channel)}/api/sendText`,
    headers: { ...apiKey(channel), 'content-type': 'application/json' },
    body: JSON.stringify({
      session: channel.network.session,
      chatId: chatIdOf(message.to),
      text: message.text,
      ...(message.replyTo === undefined ? {} : { reply_to: message.replyTo }),
    }),
    timeoutMs: TIMEOUT_MS,
  });
  if (!answer.answered) {
    return answer.written
      ? { outcome: 'unknown', cause: answer.cause }
      : { outcome: 'later', scope: 'number', waitMs: CONNECT_WAIT_MS };
  }
  if (answer.status < 200 || answer.status > 299) return outcomeOfError(answer.status, answer.body);
  const externalId = messageIdOf(parseRecord(answer.body) ?? {});
  if (externalId === undefined) return { outcome: 'unknown', cause: 'accepted without an id' };
  return { outcome: 'accepted', externalId };
}

/** `GET /api/sessions/{session}`: WORKING alone is ready. */
export async function readStatus(
  caller: BridgeCaller,
  channel: NetworkChannel,
): Promise<Readiness> {
  const missing = missingSetting(channel);
  if (missing !== null) return { ready: false, reason: missing };
  const answer = await caller.http.call({
    method: 'GET',
    url: `${base(caller, channel)}/api/sessions/${encodeURIComponent(sessionOf(channel))}`,
    headers: apiKey(channel),
    timeoutMs: TIMEOUT_MS,
  });
  if (!answer.answered) return { ready: 'unknown', cause: answer.cause };
  if (answer.status === 200) {
    const status = textAt(parseRecord(answer.body) ?? {}, 'status');
    if (status === undefined) return { ready: 'unknown', cause: 'answer without a status' };
    const reason = sessionReason(status);
    return reason === null ? { ready: true } : { ready: false, reason };
  }
  const outcome = outcomeOfError(answer.status, answer.body);
  return 'channelReason' in outcome && outcome.channelReason !== undefined
    ? { ready: false, reason: outcome.channelReason }
    : { ready: 'unknown', cause: `status ${answer.status}` };
}

/** The chat id of digits is `…@c.us`; what already names a server (`@lid`) stays as it is. */
function chatIdOf(to: string): string {
  return to.includes('@') ? to : `${to}@c.us`;
}

/** The serialized id of an engine-shaped message: a string, `id._serialized` or `key.id`. */
export function messageIdOf(message: JsonRecord): string | undefined {
  if (isRecord(message.id)) return textAt(message.id, '_serialized');
  return textAt(message, 'id') ?? textAt(recordAt(message, 'key'), 'id');
}

/** The session that the channel speaks for. */
export function sessionOf(channel: NetworkChannel): string {
  return channel.network.session ?? '';
}

function base(caller: BridgeCaller, channel: NetworkChannel): string {
  return caller.resolveBaseUrl(channel.network.baseUrl).replace(/\/+$/, '');
}

function apiKey(channel: NetworkChannel): Record<string, string> {
  return channel.network.apiKey ? { 'x-api-key': channel.network.apiKey } : {};
}

function missingSetting(channel: NetworkChannel): string | null {
  if (!channel.network.baseUrl) return 'Falta o endereço (baseUrl) do provedor do número.';
  if (!channel.network.session) return 'Falta a sessão (session) na configuração do canal.';
  return null;
}
