/**
 * Sending one message through the Cloud API.
 *
 * 1. `accepted` only with the network's own id in hand.
 * 2. `later` and `refused` only on a complete answer, or when no byte was written.
 * 3. Any outcome in between is `unknown`, so that no second send is made blindly.
 */
import type {
  NetworkChannel,
  OutboundText,
  SendOutcome,
} from '../../../../shared/ports/network.ts';
import type { HttpAnswer, HttpCaller } from '../http-caller.ts';
import { isRecord, listAt, parseRecord, textAt } from '../json-shape.ts';
import { outcomeOfAnswered, parseGraphError } from './errors.ts';
import {
  authorization,
  missingSetting,
  numberUrl,
  type ResolveBaseUrl,
  SEND_TIMEOUT_MS,
} from './graph-call.ts';

const CONNECT_WAIT_MS = 2_000;
const MISCONFIGURED_WAIT_MS = 60_000;

export interface CloudSender {
  readonly http: HttpCaller;
  readonly resolveBaseUrl: ResolveBaseUrl;
}

/** Sends; resolves with the outcome and never rejects. */
export function sendText(
  sender: CloudSender,
  channel: NetworkChannel,
  message: OutboundText,
): Promise<SendOutcome> {
  return postMessage(sender, channel, textBody(message));
}

/** Never rejects. */
export async function postMessage(
  sender: CloudSender,
  channel: NetworkChannel,
  body: Readonly<Record<string, unknown>>,
): Promise<SendOutcome> {
  const missing = missingSetting(channel);
  if (missing !== null) return misconfigured(missing);
  const answer = await sender.http.call({
    method: 'POST',
    url: `${numberUrl(channel, sender.resolveBaseUrl)}/messages`,
    headers: { ...authorization(channel), 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: SEND_TIMEOUT_MS,
  });
  return outcomeOfAnswer(answer);
}

/** @param channelReason what the channel's settings lack (Portuguese) */
export function misconfigured(channelReason: string): Later {
  return { outcome: 'later', scope: 'account', waitMs: MISCONFIGURED_WAIT_MS, channelReason };
}

type Later = Extract<SendOutcome, { outcome: 'later' }>;

/** The request's body; `biz_opaque_callback_data` comes back in every status of the message. */
function textBody(message: OutboundText): Record<string, unknown> {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipient(message.to),
    type: 'text',
    text: { body: message.text, preview_url: /https?:\/\//i.test(message.text) },
    ...(message.replyTo === undefined ? {} : { context: { message_id: message.replyTo } }),
    biz_opaque_callback_data: message.messageId,
  };
}

/** Without the `+` Meta would put the business's own country code before the digits. */
export function recipient(to: string): Record<string, string> {
  return /^\d+$/.test(to) ? { to: `+${to}` } : { recipient: to };
}

function outcomeOfAnswer(answer: HttpAnswer): SendOutcome {
  if (!answer.answered) {
    const { cause, fault } = answer;
    return answer.written
      ? { outcome: 'unknown', cause, fault }
      : { outcome: 'later', scope: 'number', waitMs: CONNECT_WAIT_MS, cause, fault };
  }
  const error = parseGraphError(answer.body);
  const success = answer.status >= 200 && answer.status < 300;
  if (!success || error !== null) return outcomeOfAnswered(answer.status, error);
  return acceptance(answer.body);
}

function acceptance(body: string): SendOutcome {
  const root = parseRecord(body) ?? {};
  const [message] = listAt(root, 'messages');
  const externalId = isRecord(message) ? textAt(message, 'id') : undefined;
  if (externalId === undefined) {
    return { outcome: 'unknown', cause: 'accepted without a message id' };
  }
  const [contact] = listAt(root, 'contacts');
  const networkId = isRecord(contact)
    ? (textAt(contact, 'wa_id') ?? textAt(contact, 'user_id'))
    : undefined;
  return { outcome: 'accepted', externalId, ...(networkId === undefined ? {} : { networkId }) };
}
