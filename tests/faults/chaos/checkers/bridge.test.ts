/** Whether the checker of the bridge can fail: histories that pass, and some that must not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBridge } from './bridge.ts';
import { HistoryBuilder } from './history-builder.ts';

const PHONE = '5511987000001';
const COLD = '5511987000002';

interface Told {
  readonly engine?: string;
  readonly status?: string;
  readonly code?: string;
  readonly cold?: boolean;
  /** By which ids it reached the contact. */
  readonly came?: readonly string[];
  /** Where the network took it and refused it afterwards. */
  readonly failed?: number | null;
  readonly copies?: number;
  readonly words?: number;
  readonly fault?: boolean;
  /** The bridge was killed after it took the message. */
  readonly killed?: boolean;
  /** The service has heard of its fate. */
  readonly heard?: boolean;
  readonly restricted?: boolean;
}

function violationsOf(told: Told): readonly string[] {
  const { engine = 'gows', status = 'read', code, cold = false, came = ['3EB0A'] } = told;
  const builder = new HistoryBuilder();
  const phone = cold ? COLD : PHONE;
  if (told.restricted) builder.seen('bridge-fault', { kind: 'bridge-restricted', engine, from: 1 });
  if (told.fault) {
    builder.seen('fault', { kind: 'kill', parts: ['network'], from: 1, to: 2_000_000 });
  }
  const word = { phone, id: '3A1', text: 'word' };
  if (!cold) builder.call('bridge-inbound', word, { ok: { id: '3A1' } });
  builder.call('bridge-send', { phone, text: 'a', engine, cold }, { ok: { messageId: 'm' } });
  const { failed = null } = told;
  for (const externalId of came) builder.seen('bridge-accepted', { text: 'a', externalId, failed });
  const diedAt = builder.history.at(-1)?.t ?? 0;
  if (told.killed) {
    builder.seen('fault', { kind: 'kill', parts: ['network'], from: diedAt + 1, to: diedAt + 2 });
  }
  if (told.heard) builder.seen('network-told', { externalId: '3EB0A' });
  const error = code === undefined ? {} : { error: { code } };
  const sent = { id: 'm', direction: 'out', text: 'a', status, externalId: '3EB0A', ...error };
  const heard = { id: 'w', direction: 'in', text: 'word', status: 'received', externalId: '3A1' };
  const words = Array.from({ length: told.words ?? (cold ? 0 : 1) }, () => heard);
  const messages = [...words, ...Array.from({ length: told.copies ?? 1 }, () => sent)];
  const read = { engine, phone, conversationId: 'c', status: 'open', messages };
  return checkBridge(builder.seen('read-bridge', read).history).violations;
}

const WELL: Readonly<Record<string, Told>> = {
  'a message that came once': {},
  'one whose fate was hidden': { engine: 'webjs', status: 'failed', code: 'unconfirmed' },
  'one that was repeated once, a fault between': {
    ...{ engine: 'webjs', came: ['3EB0A', '3EB0B'], fault: true },
  },
  'a first contact of a restricted number': {
    ...{ cold: true, restricted: true, status: 'failed', code: '463', came: [] },
  },
  'one that was taken and refused afterwards': {
    ...{ engine: 'noweb', cold: true, restricted: true, status: 'failed', code: '463' },
    failed: 463,
  },
  'one that was refused afterwards by a bridge that died before it told': {
    ...{ engine: 'noweb', cold: true, restricted: true, status: 'sent' },
    ...{ failed: 463, killed: true },
  },
};

const WRONG: Readonly<Record<string, readonly [Told, RegExp]>> = {
  'lost at the network': [{ came: [] }, /is read and never came/],
  'lost at a network that was killed': [{ came: [], killed: true }, /is read and never came/],
  'refused afterwards, and told': [
    { status: 'sent', cold: true, failed: 463, killed: true, heard: true },
    /is sent and never came/,
  ],
  'refused afterwards, without a kill': [
    { status: 'sent', cold: true, failed: 463 },
    /is sent and never came/,
  ],
  'doubled under two ids': [{ came: ['3EB0A', '3EB0B'], fault: true }, /came 2 times by gows/],
  'repeated without a fault': [
    { engine: 'webjs', came: ['3EB0A', '3EB0B'] },
    /came 2 times by webjs/,
  ],
  'repeated twice': [
    { engine: 'webjs', came: ['3EB0A', '3EB0B', '3EB0C'], fault: true },
    /came 3 times/,
  ],
  'known by the id of another': [{ came: ['3EB0Z'] }, /none of its own/],
  'still waiting': [{ status: 'queued', came: [] }, /still queued/],
  'failed for a contact who wrote': [
    { restricted: true, status: 'failed', code: '463', came: [] },
    /failed with 463/,
  ],
  'failed without a restriction': [
    { cold: true, status: 'failed', code: '463', came: [] },
    /failed with 463/,
  ],
  'failed though it came': [{ status: 'failed', code: '131026' }, /failed with 131026 and came 1/],
  'doubled by an echo': [{ copies: 2 }, /a is there 2 times/],
  'heard twice under two forms': [{ words: 2 }, /word is there 2 times/],
  'a word that is lost': [{ words: 0 }, /word was taken and is lost/],
};

for (const [what, told] of Object.entries(WELL)) {
  test(`passes: ${what}`, () => assert.deepEqual(violationsOf(told), []));
}
for (const [what, [told, says]] of Object.entries(WRONG)) {
  test(`names: ${what}`, () => assert.match(violationsOf(told).join('\n'), says));
}

test('names: one person in two conversations', () => {
  const builder = new HistoryBuilder();
  const read = { engine: 'noweb', phone: PHONE, conversationId: 'c', status: 'open', messages: [] };
  builder.seen('read-bridge', read).seen('read-bridge', { ...read, conversationId: 'd' });
  assert.match(checkBridge(builder.history).violations.join(), /has 2 conversations/);
});
