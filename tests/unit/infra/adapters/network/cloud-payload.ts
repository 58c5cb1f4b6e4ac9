/** Payloads of the Cloud API under `payloads/cloud`, each with the source of its shape. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import {
  parseRecord,
  recordAt,
  textAt,
} from '../../../../../infra/adapters/network/webhook-body.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { parsed } from './cloud-batch.ts';

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
