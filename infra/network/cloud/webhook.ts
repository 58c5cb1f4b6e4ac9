/**
 * The Cloud API's webhook: signature, then every entry × change × message, status and echo.
 *
 * 1. Nothing is parsed before the signature holds over the raw bytes.
 * 2. Events come out in the batch's order.
 * 3. One odd entry costs that entry only: it is counted in `skipped`.
 * 4. Changes for another phone number are not taken: Meta posts all numbers of an app to one URL.
 */

import type {
  NetworkChannel,
  NetworkEvent,
  WebhookOutcome,
  WebhookRequest,
} from '../../../shared/network.ts';
import type { Clock } from '../../../shared/ports.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  parseRecord,
  recordAt,
  secondsAt,
  textAt,
} from '../json-shape.ts';
import { headerOf, sameSecret, signatureHolds } from '../signature.ts';
import { contentOf } from './content.ts';
import { channelReasonOf, cloudErrorOf, failureReason } from './errors.ts';

type ReceiptStatus = 'sent' | 'delivered' | 'read' | 'failed';

const RECEIPTS: ReadonlyMap<string, ReceiptStatus> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
]);

interface Batch {
  readonly events: NetworkEvent[];
  skipped: number;
  foreign: number;
  readonly now: number;
}

/** Verifies and parses; see WebhookOutcome for what the gateway answers to each. */
export function parseWebhook(
  clock: Clock,
  channel: NetworkChannel,
  request: WebhookRequest,
): WebhookOutcome {
  const header = headerOf(request.headers, 'x-hub-signature-256');
  const verified = signatureHolds({
    algorithm: 'sha256',
    secret: channel.network.appSecret,
    rawBody: request.rawBody,
    hex: header?.startsWith('sha256=') ? header.slice('sha256='.length) : undefined,
  });
  if (!verified) return { verified: false };
  const root = parseRecord(Buffer.from(request.rawBody).toString('utf8'));
  if (root === null) return { verified: true, malformed: 'not a JSON object' };
  if (root.object !== 'whatsapp_business_account' || !Array.isArray(root.entry)) {
    return { verified: true, malformed: 'not a WhatsApp Business notification' };
  }
  const batch: Batch = { events: [], skipped: 0, foreign: 0, now: clock.now() };
  for (const entry of root.entry) {
    if (isRecord(entry)) readEntry(batch, channel, entry);
    else batch.skipped += 1;
  }
  const { events, skipped, foreign } = batch;
  return { verified: true, events, skipped, foreign };
}

/**
 * The answer to Meta's verification GET: the challenge to send back as plain text, or null, which
 * is a 403 (interfaces: Without a key).
 */
export function verifyChallenge(
  channel: NetworkChannel,
  query: Readonly<Record<string, string>>,
): string | null {
  const expected = channel.network.verifyToken;
  const given = query['hub.verify_token'];
  const challenge = query['hub.challenge'];
  if (!expected || given === undefined || challenge === undefined) return null;
  if (query['hub.mode'] !== 'subscribe' || !sameSecret(given, expected)) return null;
  return challenge;
}

function readEntry(batch: Batch, channel: NetworkChannel, entry: JsonRecord): void {
  for (const change of listAt(entry, 'changes')) {
    if (!isRecord(change) || !isRecord(change.value)) {
      batch.skipped += 1;
      continue;
    }
    const value = change.value;
    const phoneNumberId = textAt(recordAt(value, 'metadata'), 'phone_number_id');
    if (phoneNumberId !== channel.network.phoneNumberId) {
      batch.foreign += 1;
      continue;
    }
    if (change.field === 'messages') readMessages(batch, value);
    else if (change.field === 'smb_message_echoes') readEchoes(batch, value);
  }
}

function readMessages(batch: Batch, value: JsonRecord): void {
  const contacts = listAt(value, 'contacts').filter(isRecord);
  for (const message of listAt(value, 'messages')) {
    take(batch, isRecord(message) ? inbound(batch.now, message, contacts) : null);
  }
  for (const status of listAt(value, 'statuses')) {
    take(batch, isRecord(status) ? receipt(batch.now, status) : null);
  }
  for (const error of listAt(value, 'errors')) {
    const known = isRecord(error) ? cloudErrorOf(error) : null;
    const reason = known === null ? undefined : channelReasonOf(known);
    take(batch, reason === undefined ? null : unready(reason));
  }
}

function readEchoes(batch: Batch, value: JsonRecord): void {
  for (const message of listAt(value, 'message_echoes')) {
    take(batch, isRecord(message) ? echo(batch.now, message) : null);
  }
}

function take(batch: Batch, event: NetworkEvent | null): void {
  if (event === null) batch.skipped += 1;
  else batch.events.push(event);
}

function unready(reason: string): NetworkEvent {
  return { type: 'readiness', readiness: { ready: false, reason } };
}

/** A user with a username may be shown only by an opaque id: then `phone` is empty. */
function inbound(
  now: number,
  message: JsonRecord,
  contacts: readonly JsonRecord[],
): NetworkEvent | null {
  const externalId = textAt(message, 'id');
  const from = textAt(message, 'from');
  const networkId = from ?? textAt(message, 'from_user_id');
  const content = contentOf(message);
  if (externalId === undefined || networkId === undefined || content === null) return null;
  const profileName = profileNameOf(message, contacts);
  return {
    type: 'message',
    externalId,
    phone: digitsOf(from),
    networkId,
    ...(profileName === undefined ? {} : { profileName }),
    ...content,
    at: secondsAt(message, 'timestamp', now),
  };
}

function echo(now: number, message: JsonRecord): NetworkEvent | null {
  const externalId = textAt(message, 'id');
  const to = textAt(message, 'to');
  const networkId = to ?? textAt(message, 'to_user_id');
  const content = contentOf(message);
  if (externalId === undefined || networkId === undefined || content === null) return null;
  const { kind, text, media } = content;
  return {
    type: 'echo',
    externalId,
    phone: digitsOf(to),
    networkId,
    kind,
    text,
    ...(media === undefined ? {} : { media }),
    at: secondsAt(message, 'timestamp', now),
  };
}

function receipt(now: number, status: JsonRecord): NetworkEvent | null {
  const externalId = textAt(status, 'id');
  const step = RECEIPTS.get(textAt(status, 'status') ?? '');
  if (externalId === undefined || step === undefined) return null;
  const messageId = textAt(status, 'biz_opaque_callback_data');
  const networkId = textAt(status, 'recipient_id') ?? textAt(status, 'recipient_user_id');
  return {
    type: 'receipt',
    externalId,
    ...(messageId === undefined ? {} : { messageId }),
    status: step,
    ...(networkId === undefined ? {} : { networkId }),
    ...(step === 'failed' ? { error: failureOf(status) } : {}),
    at: secondsAt(status, 'timestamp', now),
  };
}

function failureOf(status: JsonRecord): { code: string; message: string } {
  const [first] = listAt(status, 'errors');
  const error = isRecord(first) ? cloudErrorOf(first) : null;
  if (error === null) return { code: 'unknown', message: 'A rede não entregou a mensagem.' };
  return { code: String(error.code), message: failureReason(error) };
}

function profileNameOf(message: JsonRecord, contacts: readonly JsonRecord[]): string | undefined {
  const from = textAt(message, 'from');
  const userId = textAt(message, 'from_user_id');
  const own = contacts.find(
    (contact) =>
      (from !== undefined && textAt(contact, 'wa_id') === from) ||
      (userId !== undefined && textAt(contact, 'user_id') === userId),
  );
  // Brazilian numbers: `wa_id` and `from` may differ by the ninth digit.
  const named = own ?? (contacts.length === 1 ? contacts[0] : undefined);
  return named === undefined ? undefined : textAt(recordAt(named, 'profile'), 'name');
}

function digitsOf(phone: string | undefined): string {
  return phone?.replace(/\D/g, '') ?? '';
}
