/**
 * Payloads of the bridge's three engines, and answers made of them. The driver's tests hold it to
 * the payloads, never to the simulator.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { parseWebhook } from '../../../../../infra/adapters/network/web/webhook.ts';
import type { WebhookOutcome } from '../../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import {
  channelOf,
  WEB_NETWORK,
} from '../../../../support/infra/adapters/network/network-fixture.ts';
import { type BridgeAnswer, type BridgeAnswers, ok } from '../../../../support/stand-ins/bridge.ts';

/** Content of a file of `payloads/web`. */
export function payload(name: string): unknown {
  const path = new URL(`../../../../support/networks/payloads/web/${name}.json`, import.meta.url);
  const file = JSON.parse(readFileSync(path, 'utf8'));
  assert.ok(file.source && file.engine, `${name} tells its source and engine`);
  return file.payload;
}

/** A webhook of the bridge, signed, through the driver's parser. */
export function parsed(value: unknown, secret = WEB_NETWORK.webhookSecret): WebhookOutcome {
  const rawBody = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const hex = createHmac('sha512', secret).update(rawBody).digest('hex');
  const headers = { 'x-webhook-hmac': hex, 'x-webhook-hmac-algorithm': 'sha512' };
  return parseWebhook(systemClock, channelOf('web'), { headers, rawBody });
}

/** The events of a webhook that is one of the payload files. */
export function eventsOf(name: string): readonly NetworkEvent[] {
  const outcome = parsed(payload(name));
  assert.ok(outcome.verified && 'events' in outcome, name);
  return outcome.events;
}

/** The one event of such a webhook, which is of this type. */
export function eventOf<T extends NetworkEvent['type']>(name: string, type: T) {
  const [event, ...more] = eventsOf(name);
  assert.ok(event?.type === type && more.length === 0, `${name}: ${JSON.stringify(event)}`);
  return event as Extract<NetworkEvent, { type: T }>;
}

/** A payload file of an answer. */
export function answerOf(name: string): BridgeAnswer {
  const { status, body } = Object(payload(name));
  return { status, body };
}

/** The word of a bridge of this engine about itself; the rest answers every other request. */
export function engine(name: 'webjs' | 'noweb' | 'gows', rest: BridgeAnswers): BridgeAnswers {
  return (request) => {
    if (request.path === '/api/server/version') return ok(payload(`version-${name}`));
    if (request.path === '/api/sessions/shop') return ok(payload(`session-${name}`));
    return rest(request);
  };
}
