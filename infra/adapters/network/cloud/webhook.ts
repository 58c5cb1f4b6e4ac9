/**
 * The Cloud API's webhook: signature, then every entry × change × message, status, echo and update
 * of an id or of the account.
 *
 * 1. Nothing is parsed before the signature over the raw bytes is verified.
 * 2. Events are returned in the batch's order.
 * 3. A malformed entry affects that entry only: it is counted in `skipped`.
 * 4. Changes for another phone number are ignored: Meta posts all numbers of an app to one URL.
 *    Changes of the account are believed only if they name the channel's own (`account.ts`).
 * 5. Ids of one person are reported once for a change, and so is a block of the whole channel.
 * 6. A call is reported when it begins and when it ends: once in a batch.
 */

import { signatureIn } from '../../../../shared/network-signature.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type {
  NetworkChannel,
  WebhookOutcome,
  WebhookRequest,
} from '../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import {
  headerOf,
  isRecord,
  type JsonRecord,
  listAt,
  parseRecord,
  recordAt,
  sameSecret,
  signatureHolds,
  textAt,
} from '../webhook-body.ts';
import { accountEvents, isOfAccount } from './account.ts';
import {
  blamesTemplate,
  blockIn,
  callEvents,
  contactsOf,
  digitsOf,
  type EntryContext,
  echoEvents,
  errorOf,
  isOfGroup,
  isPaymentError,
  messageEvents,
  preferenceEvents,
  statusEvents,
  welcomeEvents,
} from './entries.ts';
import { systemEvents, userIdUpdate } from './identities.ts';

/** Bounded by the bytes of one webhook (`NETWORK_WEBHOOK_MAX_BYTES`). */
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
  const verified = signatureHolds({
    algorithm: 'sha256',
    secret: channel.network.appSecret,
    rawBody: request.rawBody,
    hex: signatureIn('cloud', (name) => headerOf(request.headers, name)),
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
 * is a 403 (C16.2).
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
    const { field, value } = change;
    readChange(batch, channel, { account: textAt(entry, 'id'), field, value });
  }
}

interface Change {
  /** Id of the business account. */
  readonly account: string | undefined;
  readonly field: unknown;
  readonly value: JsonRecord;
}

function readChange(batch: Batch, channel: NetworkChannel, change: Change): void {
  const { field, value } = change;
  const readAccount = typeof field === 'string' ? ACCOUNT_READERS.get(field) : undefined;
  if (readAccount !== undefined) {
    if (isOfAccount(channel, change)) readAccount(batch, value);
    else batch.foreign += 1;
    return;
  }
  const metadata = recordAt(value, 'metadata');
  const phoneNumberId = textAt(metadata, 'phone_number_id');
  const read = typeof field === 'string' ? READERS.get(field) : undefined;
  if (phoneNumberId === channel.network.phoneNumberId) {
    const ownPhone = digitsOf(textAt(metadata, 'display_phone_number'));
    read?.(batch, value, { now: batch.now, contacts: contactsOf(value), ownPhone });
  } else if (phoneNumberId !== undefined || read !== undefined) {
    batch.foreign += 1;
  }
}

/** Of the whole business account: they name no number by its id. */
const ACCOUNT_READERS: ReadonlyMap<string, (batch: Batch, value: JsonRecord) => void> = new Map([
  ['account_update', readAccountUpdate],
  ['message_template_status_update', addTemplatesChanged],
  ['message_template_quality_update', addTemplatesChanged],
  ['message_template_components_update', addTemplatesChanged],
  ['template_category_update', addTemplatesChanged],
]);

function readAccountUpdate(batch: Batch, value: JsonRecord): void {
  addEvents(batch, accountEvents(value));
}

/** Once in a batch: the templates are read as a whole. */
function addTemplatesChanged({ events }: Batch): void {
  if (events.some(({ type }) => type === 'templates-changed')) return;
  events.push({ type: 'templates-changed' });
}

type Reader = (batch: Batch, value: JsonRecord, context: EntryContext) => void;

const READERS: ReadonlyMap<string, Reader> = new Map([
  ['messages', readMessages],
  ['calls', readCalls],
  ['smb_message_echoes', readEchoes],
  ['user_id_update', readUserIdUpdates],
  ['user_preferences', readPreferences],
]);

function readMessages(batch: Batch, value: JsonRecord, context: EntryContext): void {
  for (const message of listAt(value, 'messages')) {
    addEvents(batch, isRecord(message) ? eventsOfMessage(context, message) : null);
  }
  const statuses = listAt(value, 'statuses');
  const identified = new Set<string>();
  for (const status of statuses) {
    const events = isRecord(status) ? statusEvents(context, status) : null;
    addEvents(batch, events?.filter((event) => isNewIdentity(event, identified)) ?? null);
  }
  if (statuses.some((status) => blamesTemplate(errorOf(status)))) addTemplatesChanged(batch);
  const errors = listAt(value, 'errors');
  batch.skipped += errors.filter((each) => blockIn(each) === null && !isPaymentError(each)).length;
  addChannelErrors(batch, [...statuses.map(errorOf), ...errors]);
}

function eventsOfMessage(context: EntryContext, message: JsonRecord) {
  const type = isOfGroup(message) ? undefined : textAt(message, 'type');
  if (type === 'system') return systemEvents(context.now, message);
  if (type === 'request_welcome') return welcomeEvents(context, message);
  return messageEvents(context, message);
}

function readCalls(batch: Batch, value: JsonRecord, context: EntryContext): void {
  for (const call of listAt(value, 'calls')) {
    const events = isRecord(call) ? callEvents(context, call) : null;
    addEvents(batch, events?.filter((event) => isNewCall(event, batch)) ?? null);
  }
}

function isNewCall(event: NetworkEvent, { events }: Batch): boolean {
  if (event.type !== 'call') return true;
  return !events.some((each) => each.type === 'call' && each.callId === event.callId);
}

function isNewIdentity(event: NetworkEvent, identified: Set<string>): boolean {
  if (event.type !== 'identity') return true;
  const ids = [event.networkId, ...(event.aliases ?? [])].join(' ');
  if (identified.has(ids)) return false;
  identified.add(ids);
  return true;
}

/** What errors of single messages tell of the whole channel, once each. */
function addChannelErrors(batch: Batch, errors: readonly unknown[]): void {
  const blocks = errors.map(blockIn).filter((block) => block !== null);
  for (const block of new Map(blocks.map((each) => [each.reason, each])).values()) {
    batch.events.push({ type: 'readiness', readiness: { ready: false, ...block } });
  }
  if (!errors.some(isPaymentError)) return;
  batch.events.push({ type: 'restriction', restriction: { until: null, cause: 'payment' } });
}

function readEchoes(batch: Batch, value: JsonRecord, context: EntryContext): void {
  for (const message of listAt(value, 'message_echoes')) {
    addEvents(batch, isRecord(message) ? echoEvents(context, message) : null);
  }
}

function readUserIdUpdates(batch: Batch, value: JsonRecord, { now }: EntryContext): void {
  for (const update of listAt(value, 'user_id_update')) {
    addEvents(batch, isRecord(update) ? userIdUpdate(now, update) : null);
  }
}

function readPreferences(batch: Batch, value: JsonRecord, context: EntryContext): void {
  for (const preference of listAt(value, 'user_preferences')) {
    addEvents(batch, isRecord(preference) ? preferenceEvents(context, preference) : null);
  }
}

/** Null: malformed. */
function addEvents(batch: Batch, events: readonly NetworkEvent[] | null): void {
  if (events === null) batch.skipped += 1;
  else batch.events.push(...events);
}
