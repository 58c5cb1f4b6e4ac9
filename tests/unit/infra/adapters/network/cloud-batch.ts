/** Meta's webhook batches for the tests: built, signed and parsed as the gateway would. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { parseWebhook } from '../../../../../infra/adapters/network/cloud/webhook.ts';
import {
  parseRecord,
  recordAt,
  textAt,
} from '../../../../../infra/adapters/network/webhook-body.ts';
import type { WebhookOutcome } from '../../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import {
  CLOUD_NETWORK,
  channelOf,
} from '../../../../support/infra/adapters/network/network-fixture.ts';

export const channel = channelOf('cloud');
export const ANA = { profile: { name: 'Ana' }, wa_id: '5531988887777', user_id: 'BR.150' };

export function signed(
  raw: string | Buffer,
  secret = CLOUD_NETWORK.appSecret,
  to = channel,
): WebhookOutcome {
  const rawBody = Buffer.from(raw);
  const hex = createHmac('sha256', secret).update(rawBody).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${hex}` };
  return parseWebhook(systemClock, to, { headers, rawBody });
}

export function change(
  value: Record<string, unknown>,
  field = 'messages',
  phone_number_id = '1001',
) {
  const metadata = { display_phone_number: '551140001000', phone_number_id };
  return { field, value: { messaging_product: 'whatsapp', metadata, ...value } };
}

export function batch(...changes: readonly unknown[]): string {
  const entry = changes.map((one) => ({ id: 'waba', changes: [one] }));
  return JSON.stringify({ object: 'whatsapp_business_account', entry });
}

export function parsed(
  raw: string,
  to = channel,
): {
  events: readonly NetworkEvent[];
  skipped: number;
  foreign: number;
} {
  const outcome = signed(raw, CLOUD_NETWORK.appSecret, to);
  assert.ok(outcome.verified && 'events' in outcome);
  return { events: outcome.events, skipped: outcome.skipped ?? 0, foreign: outcome.foreign ?? 0 };
}

export const message = (id: string, fields: Record<string, unknown>) => ({
  from: '5531988887777',
  id,
  timestamp: '1749416383',
  ...fields,
});
export const text = (id: string, body = 'oi') => message(id, { type: 'text', text: { body } });

const FOLDER = new URL('../../../../support/networks/payloads/cloud/', import.meta.url);

export function payloadNames(): readonly string[] {
  return readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));
}

/** The payload as the network writes it. */
export function payloadOf(name: string): string {
  const file = parseRecord(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
  assert.ok(file !== null, name);
  assert.match(textAt(file, 'source') ?? '', /\w{4}/, `${name} names its source`);
  return JSON.stringify(recordAt(file, 'payload'));
}

/** The events of a webhook in which nothing is odd. */
export function eventsOf(name: string): readonly NetworkEvent[] {
  const { events, skipped, foreign } = parsed(payloadOf(name));
  assert.deepEqual({ skipped, foreign }, { skipped: 0, foreign: 0 });
  return events;
}
