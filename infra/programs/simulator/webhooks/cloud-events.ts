/** Meta's webhook bodies, as the simulator posts them. Entries are JSON text, joined per batch. */
import { createHmac } from 'node:crypto';
import { contentOf } from '../cloud/content.ts';
import { isUserId, userIdOf } from '../cloud/people.ts';
import { titleOf } from '../cloud/schema/errors.ts';
import { accountOf, type SimulatedChannel } from '../network/channels.ts';
import type { Inbound } from '../network/inbound.ts';
import type { WebhookEntry, WebhookPost } from './entry.ts';
import type { ReceiptStep, Sending } from './receipts.ts';

const HREF = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/';

/** The field of each list of a number; any other kind is a field of the account. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['messages', 'messages'],
  ['statuses', 'messages'],
  ['message_echoes', 'smb_message_echoes'],
  ['calls', 'calls'],
]);

/** One signed POST of up to 1000 entries of one kind. */
export function cloudPost(
  channel: SimulatedChannel,
  entries: readonly WebhookEntry[],
): WebhookPost {
  const body = Buffer.from(asciiJson(notification(channel, entries)));
  const signature = createHmac('sha256', channel.network.appSecret ?? '').update(body);
  return {
    url: channel.webhookUrl,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'facebookexternalua',
      'x-hub-signature-256': `sha256=${signature.digest('hex')}`,
    },
  };
}

function notification(channel: SimulatedChannel, entries: readonly WebhookEntry[]): string {
  const number = channel.network.phoneNumberId ?? '';
  const metadata = JSON.stringify({ display_phone_number: number, phone_number_id: number });
  const kind = entries[0]?.kind ?? 'statuses';
  if (!FIELDS.has(kind)) return accountNotification(channel, kind, entries);
  const field = FIELDS.get(kind) ?? kind;
  const contacts = entries.flatMap((entry) => entry.contact ?? []);
  const people = contacts.length === 0 ? '' : `"contacts":[${contacts.join(',')}],`;
  const list = entries.map((entry) => entry.json).join(',');
  return (
    `{"object":"whatsapp_business_account","entry":[{"id":"${accountOf(channel)}","changes":[{"value":` +
    `{"messaging_product":"whatsapp","metadata":${metadata},${people}"${kind}":[${list}]},` +
    `"field":"${field}"}]}]}`
  );
}

/** One of the account, independent of its numbers. */
function accountNotification(
  channel: SimulatedChannel,
  field: string,
  entries: readonly WebhookEntry[],
): string {
  const time = Math.floor(Date.now() / 1000);
  const byAccount = Map.groupBy(entries, ({ account = accountOf(channel) }) => account);
  const told = [...byAccount].map(([account, of]) => {
    const changes = of.map(({ json }) => `{"value":${json},"field":"${field}"}`).join(',');
    return `{"id":"${account}","time":${time},"changes":[${changes}]}`;
  });
  return `{"object":"whatsapp_business_account","entry":[${told.join(',')}]}`;
}

/** As Meta does: characters outside of ASCII are escaped, so that only the raw bytes verify. */
function asciiJson(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One status of one message. */
export function cloudStatus(sending: Sending, step: ReceiptStep, now: number): WebhookEntry {
  const code = sending.failCode;
  const errors =
    step === 'failed' && code !== undefined
      ? [
          {
            code,
            title: titleOf(code),
            message: titleOf(code),
            error_data: { details: titleOf(code) },
            href: HREF,
          },
        ]
      : undefined;
  const category = sending.category ?? 'service';
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category };
  const json = JSON.stringify({
    id: sending.externalId,
    status: step,
    timestamp: unixSeconds(now),
    ...recipientOf(sending),
    biz_opaque_callback_data: sending.callbackData,
    ...(step === 'sent' ? { pricing } : {}),
    ...(errors === undefined ? {} : { errors }),
  });
  return { kind: 'statuses', json };
}

/** A person who is written to by an opaque id is not named by a phone. */
function recipientOf({ to, userId }: Sending): Readonly<Record<string, string>> {
  if (isUserId(to)) return { recipient_user_id: to };
  return { recipient_id: to, recipient_user_id: userId ?? userIdOf(to) };
}

/** A contact's message, or with `echo` one that a person typed on the connected phone. */
export function cloudInbound(inbound: Inbound, externalId: string, now: number): WebhookEntry {
  const { group, referral } = inbound;
  const message: Record<string, unknown> = {
    ...(inbound.echo ? receiverOf(inbound) : senderOf(inbound)),
    id: externalId,
    timestamp: unixSeconds(inbound.at ?? now),
    ...(group === undefined ? {} : { group_id: group }),
    ...contextOf(inbound),
    ...(referral === undefined ? {} : { referral }),
    ...contentOf(inbound),
  };
  const kind = inbound.echo ? 'message_echoes' : 'messages';
  return { kind, json: JSON.stringify(message), contact: JSON.stringify(contactOf(inbound)) };
}

/** What the message answers, and the product that it is about. */
function contextOf({ replyTo, replyAuthor, product }: Inbound): Record<string, unknown> {
  if (replyTo === undefined && product === undefined) return {};
  const context = { from: replyAuthor, id: replyTo, referred_product: product };
  return { context };
}

function contactOf(inbound: Inbound): Record<string, unknown> {
  const { name, username, parentUserId } = inbound;
  const named = name === undefined ? {} : { name };
  const profile = { ...named, ...(username === undefined ? {} : { username }) };
  return {
    ...(Object.keys(profile).length === 0 ? {} : { profile }),
    ...(isUserId(inbound.from) ? {} : { wa_id: inbound.from }),
    user_id: personIdOf(inbound),
    ...(parentUserId === undefined ? {} : { parent_user_id: parentUserId }),
  };
}

function senderOf(inbound: Inbound): Record<string, string> {
  const { from, parentUserId } = inbound;
  return {
    ...(isUserId(from) ? {} : { from }),
    from_user_id: personIdOf(inbound),
    ...(parentUserId === undefined ? {} : { from_parent_user_id: parentUserId }),
  };
}

function receiverOf(inbound: Inbound): Record<string, string> {
  const { from, parentUserId } = inbound;
  return {
    ...(isUserId(from) ? {} : { to: from }),
    to_user_id: personIdOf(inbound),
    ...(parentUserId === undefined ? {} : { to_parent_user_id: parentUserId }),
  };
}

function personIdOf({ from, userId }: Inbound): string {
  if (userId !== undefined) return userId;
  return isUserId(from) ? from : userIdOf(from);
}

/** A contact calls the number, or ends that call. */
export function cloudCall(
  call: { readonly id: string; readonly event: 'connect' | 'terminate'; readonly number: string },
  inbound: Inbound,
  now: number,
): WebhookEntry {
  const { id, event, number } = call;
  const session = { sdp: 'v=0', sdp_type: 'offer' };
  const json = JSON.stringify({
    id,
    ...(isUserId(inbound.from) ? { from_user_id: inbound.from } : { from: inbound.from }),
    to: number,
    event,
    timestamp: unixSeconds(inbound.at ?? now),
    direction: 'USER_INITIATED',
    ...(event === 'connect' ? { session } : { status: 'COMPLETED' }),
  });
  return { kind: 'calls', json, contact: JSON.stringify(contactOf(inbound)) };
}

/** Updates of the account: a field of its own, of no number. Without `account` of the number's. */
export function cloudAccount(
  value: Readonly<Record<string, unknown>>,
  account?: string,
): WebhookEntry {
  const of = account === undefined ? {} : { account };
  return { kind: 'account_update', json: JSON.stringify(value), ...of };
}

function unixSeconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}
