/** Meta's webhook bodies, as the simulator posts them. Entries are JSON text, joined per batch. */
import { createHmac } from 'node:crypto';
import type { SandboxChannel } from './channels.ts';
import { titleOf } from './graph-errors.ts';
import type { Inbound } from './inbound.ts';
import type { ReceiptStep, Sending } from './receipts.ts';
import type { WebhookEntry, WebhookPost } from './webhook-entry.ts';

const HREF = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/';

/** One signed POST of up to 1000 entries of one kind. */
export function cloudPost(channel: SandboxChannel, entries: readonly WebhookEntry[]): WebhookPost {
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

function notification(channel: SandboxChannel, entries: readonly WebhookEntry[]): string {
  const number = channel.network.phoneNumberId ?? '';
  const metadata = JSON.stringify({ display_phone_number: number, phone_number_id: number });
  const kind = entries[0]?.kind ?? 'statuses';
  const field = kind === 'message_echoes' ? 'smb_message_echoes' : 'messages';
  const contacts = entries.flatMap((entry) => entry.contact ?? []);
  const people = contacts.length === 0 ? '' : `"contacts":[${contacts.join(',')}],`;
  const list = entries.map((entry) => entry.json).join(',');
  return (
    `{"object":"whatsapp_business_account","entry":[{"id":"waba-${number}","changes":[{"value":` +
    `{"messaging_product":"whatsapp","metadata":${metadata},${people}"${kind}":[${list}]},` +
    `"field":"${field}"}]}]}`
  );
}

/** As Meta does: what is not ASCII travels escaped, so that only the raw bytes verify. */
function asciiJson(json: string): string {
  return json.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One status of one message. */
export function cloudStatus(sending: Sending, step: ReceiptStep, now: number): WebhookEntry {
  const person = isUserId(sending.to) ? 'recipient_user_id' : 'recipient_id';
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
  const pricing = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'service' };
  const json = JSON.stringify({
    id: sending.externalId,
    status: step,
    timestamp: unixSeconds(now),
    [person]: sending.to,
    biz_opaque_callback_data: sending.callbackData,
    ...(step === 'sent' ? { pricing } : {}),
    ...(errors === undefined ? {} : { errors }),
  });
  return { kind: 'statuses', json };
}

/** A contact's message, or with `echo` one that a person typed on the connected phone. */
export function cloudInbound(inbound: Inbound, externalId: string, now: number): WebhookEntry {
  const message: Record<string, unknown> = {
    ...(inbound.echo ? echoParties(inbound) : senderOf(inbound.from)),
    id: externalId,
    timestamp: unixSeconds(inbound.at ?? now),
    ...contentOf(inbound),
    ...(inbound.replyTo === undefined ? {} : { context: { id: inbound.replyTo } }),
  };
  const json = JSON.stringify(message);
  if (inbound.echo) return { kind: 'message_echoes', json };
  const person = isUserId(inbound.from) ? { user_id: inbound.from } : { wa_id: inbound.from };
  const profile = inbound.name === undefined ? {} : { profile: { name: inbound.name } };
  return { kind: 'messages', json, contact: JSON.stringify({ ...profile, ...person }) };
}

function contentOf(inbound: Inbound): Record<string, unknown> {
  const { media, text } = inbound;
  if (media === undefined) return { type: 'text', text: { body: text ?? '' } };
  return {
    type: media.kind,
    [media.kind]: {
      id: media.id,
      mime_type: media.mimeType,
      url: media.url,
      ...(media.sha256 === undefined ? {} : { sha256: media.sha256 }),
      ...(text === undefined ? {} : { caption: text }),
      ...(media.fileName === undefined ? {} : { filename: media.fileName }),
    },
  };
}

function senderOf(from: string): Record<string, string> {
  return isUserId(from) ? { from_user_id: from } : { from };
}

function echoParties(inbound: Inbound): Record<string, string> {
  return isUserId(inbound.from) ? { to_user_id: inbound.from } : { to: inbound.from };
}

/** Opaque business-scoped ids are `CC.` and letters or digits; phones are bare digits. */
function isUserId(person: string): boolean {
  return !/^\d+$/.test(person);
}

function unixSeconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}
