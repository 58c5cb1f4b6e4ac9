/**
 * Sending one message through the Cloud API.
 *
 * 1. `accepted` only with the network's own id in hand.
 * 2. `later` and `refused` only on a complete answer, or when no byte was written.
 * 3. Any outcome in between is `unknown`, so that no second send is made blindly. So is a 5xx: Graph,
 *    or a proxy before it, may fail after the message was taken.
 *
 * Graph calls of a `cloud` channel: their URLs and headers, and the meaning of their errors for a
 * send and for the channel.
 *
 * 1. The code decides (`codes.ts`), never the HTTP status: throttles appear as 400, 403 and 429.
 * 2. A refusal that calls itself transient is repeated; the message fails when it stays.
 * 3. A code that is not listed falls back to the status (see `outcomeOfStatus`).
 */
import type {
  NetworkChannel,
  OutboundText,
  SendOutcome,
} from '../../../../shared/ports/network.ts';
import { faultOfStatus, withFault } from '../answered-fault.ts';
import type { HttpAnswer, HttpCaller } from '../http-caller.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  numberAt,
  parseRecord,
  recordAt,
  textAt,
} from '../webhook-body.ts';
import {
  BAD_TOKEN_REASON,
  broken,
  CHOKED,
  type ErrorRule,
  isUnknownObject,
  NUMBER_WAIT_MS,
  PAYMENT,
  PERMISSION,
  ruleOfCode,
  TRANSIENT_WAIT_MS,
  transient,
} from './codes.ts';

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
  return outcomeOfAnswer(await callMessages(sender, channel, body));
}

/** `POST /{phoneNumberId}/messages`, which takes messages and read marks. Never rejects. */
export function callMessages(
  { http, resolveBaseUrl }: CloudSender,
  channel: NetworkChannel,
  body: Readonly<Record<string, unknown>>,
): Promise<HttpAnswer> {
  return http.call({
    method: 'POST',
    url: `${numberUrl(channel, resolveBaseUrl)}/messages`,
    headers: { ...authorization(channel), 'content-type': 'application/json' },
    body: JSON.stringify(body),
    timeoutMs: SEND_TIMEOUT_MS,
  });
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
  if (!success || error !== null) return outcomeOfRefusal(answer.status, error);
  return acceptance(answer.body);
}

/** What a refused send means: after a 5xx the message may be on its way all the same. */
function outcomeOfRefusal(status: number, error: CloudError | null): SendOutcome {
  const rule = error === null ? undefined : ruleOf(error);
  const isOfChannel = rule?.outcome === 'later' && rule.channelReason !== undefined;
  if (status < 500 || isOfChannel) return outcomeOfAnswered(status, error);
  const cause = causeOf(status, error);
  // A code that may be of this very message counts as an attempt.
  const isOutage = rule === undefined || (rule.outcome === 'later' && rule.failure === undefined);
  const outage = isOutage ? { outage: true as const } : {};
  return { outcome: 'unknown', cause, ...faultOfStatus(status), ...outage };
}

function causeOf(status: number, error: CloudError | null): string {
  return `status ${status}, code ${error?.code ?? 'none'}`;
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

const DEFAULT_API_VERSION = 'v26.0';
const SEND_TIMEOUT_MS = 10_000;
export const STATUS_TIMEOUT_MS = 10_000;
/** Of a file. */
export const TRANSFER_TIMEOUT_MS = 60_000;

export type ResolveBaseUrl = (baseUrl: string | undefined) => string;

/** `{base}/{version}/{phoneNumberId}`, without a slash at its end. */
export function numberUrl(channel: NetworkChannel, resolveBaseUrl: ResolveBaseUrl): string {
  return objectUrl(channel, channel.network.phoneNumberId ?? '', resolveBaseUrl);
}

/** `{base}/{version}/{id}` of any object of the graph. */
export function objectUrl(
  channel: NetworkChannel,
  id: string,
  resolveBaseUrl: ResolveBaseUrl,
): string {
  const base = resolveBaseUrl(channel.network.baseUrl).replace(/\/+$/, '');
  const version = channel.network.apiVersion || DEFAULT_API_VERSION;
  return `${base}/${version}/${encodeURIComponent(id)}`;
}

/** The bearer header of the channel's system user. */
export function authorization(channel: NetworkChannel): Record<string, string> {
  return { authorization: `Bearer ${channel.network.accessToken ?? ''}` };
}

/** The Portuguese sentence for a channel without a setting that a call needs, else null. */
export function missingSetting(channel: NetworkChannel): string | null {
  if (!channel.network.phoneNumberId) return 'Falta o phoneNumberId na configuração do canal.';
  if (!channel.network.accessToken) return 'Falta o token de acesso na configuração do canal.';
  return null;
}

export interface CloudError {
  readonly code: number;
  readonly subcode?: number;
  /** Graph's `is_transient`: the same request may be accepted later. */
  readonly transient?: boolean;
}

/** A reason why the whole channel cannot send. */
export interface ChannelBlock {
  readonly reason: string;
  /** Set where a probe does not see the end. */
  readonly holdMs?: number;
}

const NOT_THE_API = 'O endereço configurado não respondeu como a API do WhatsApp.';

/** The rule for a code; undefined when the status has to decide. */
function ruleOf(error: CloudError): ErrorRule | undefined {
  return ruleOfCode(error.code, error.subcode);
}

/** `{"error":{"code":…}}` of a Graph answer; null when the body is not one. */
export function parseGraphError(body: string): CloudError | null {
  const root = parseRecord(body);
  return root !== null && isRecord(root.error) ? cloudErrorOf(recordAt(root, 'error')) : null;
}

/** Code and subcode of one error object, of an answer or of a status alike. */
export function cloudErrorOf(error: JsonRecord): CloudError | null {
  const code = numberAt(error, 'code');
  if (code === undefined) return null;
  const subcode = numberAt(error, 'error_subcode');
  return {
    code,
    ...(subcode === undefined ? {} : { subcode }),
    ...(error.is_transient === true ? { transient: true } : {}),
  };
}

/** Whether the object that was asked for does not exist, as far as the token reaches. */
export function isGone(error: CloudError | null): boolean {
  return error !== null && isUnknownObject(error.code, error.subcode);
}

/** The meaning of a complete answer that refuses a send; nothing was sent. */
export function outcomeOfError(status: number, error: CloudError | null): SendOutcome {
  const rule = error === null ? undefined : ruleUnderTransience(error);
  if (rule === undefined) return outcomeOfStatus(status, error);
  return outcomeOfRule(rule, String(error?.code ?? status));
}

/** The same with the answer's fault, if it is one (`answered-fault`). */
export function outcomeOfAnswered(status: number, error: CloudError | null): SendOutcome {
  const outcome = outcomeOfError(status, error);
  const isToken = outcome.outcome === 'later' && outcome.channelReason === BAD_TOKEN_REASON;
  return withFault(outcome, {
    status,
    cause: causeOf(status, error),
    passing: status === 401 || isToken ? 'unauthorized' : null,
  });
}

function outcomeOfRule(rule: ErrorRule, code: string): SendOutcome {
  if (rule.outcome === 'refused') return { ...rule, code };
  const { failure, unpaid, ...later } = rule;
  if (unpaid) return { ...later, restriction: { until: null, cause: 'payment' } };
  return failure === undefined ? later : { ...later, failure: { code, reason: failure } };
}

/** A listed refusal that calls itself transient is one that may pass. */
function ruleUnderTransience(error: CloudError): ErrorRule | undefined {
  const rule = ruleOf(error);
  return rule?.outcome === 'refused' && error.transient ? transient(rule.reason) : rule;
}

function outcomeOfStatus(status: number, error: CloudError | null): SendOutcome {
  if (status >= 500 || status === 408) {
    return { outcome: 'later', scope: 'number', waitMs: TRANSIENT_WAIT_MS };
  }
  if (status === 429) return { outcome: 'later', scope: 'number', waitMs: NUMBER_WAIT_MS };
  if (error?.transient) return outcomeOfRule(transient(CHOKED), String(error.code));
  if (status === 401) return broken(BAD_TOKEN_REASON);
  if (status === 403) return broken(PERMISSION);
  // Without an error object it was not Graph that answered: a proxy, or a wrong base URL.
  if (error === null && (status === 404 || status < 400)) return broken(NOT_THE_API);
  const code = String(error?.code ?? status);
  return { outcome: 'refused', code, reason: `A rede recusou a mensagem (código ${code}).` };
}

/** The Portuguese sentence for an error that arrives in a status webhook. */
export function failureReason(error: CloudError): string {
  const rule = ruleOf(error);
  if (rule?.outcome === 'refused') return rule.reason;
  if (rule?.channelReason !== undefined) return rule.channelReason;
  if (rule?.unpaid) return PAYMENT;
  return `A rede não entregou a mensagem (código ${error.code}).`;
}

/** The Portuguese sentence for a contact's file that the network did not take. */
export function lostMediaReason(error: CloudError): string {
  const rule = ruleOf(error);
  if (rule?.outcome === 'refused') return rule.reason;
  return `A rede não recebeu o arquivo da mensagem (código ${error.code}).`;
}

/** Whether the templates of the account are worth reading again. */
export function isAboutTemplate(error: CloudError): boolean {
  const rule = ruleOf(error);
  return rule?.outcome === 'refused' && rule.aboutTemplate === true;
}

/** Whether the account owes the network. */
export function isUnpaid(error: CloudError): boolean {
  const rule = ruleOf(error);
  return rule?.outcome === 'later' && rule.unpaid === true;
}

/** Null where the error does not concern the whole channel. */
export function blockOf(error: CloudError): ChannelBlock | null {
  const rule = ruleOf(error);
  if (rule?.outcome !== 'later' || rule.channelReason === undefined) return null;
  const reason = rule.channelReason;
  return rule.unprobed === true ? { reason, holdMs: rule.waitMs } : { reason };
}
