/** The template in place of a refused message keeps the time that a person asked for (D293). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideFallback,
  NO_FILE,
  templateDraft,
} from '../../../../actors/domain/outbound-content.ts';
import { WINDOW_CLOSED_CODE } from '../../../../shared/message.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';

const TEMPLATE = { name: 'pedido', language: 'pt_BR', body: [], buttons: [] };
const FALLBACK = { template: TEMPLATE, text: 'Seu pedido', kind: 'text', media: null } as const;
const REFUSED = outboundFixture({
  status: 'failed',
  error: { code: WINDOW_CLOSED_CODE, message: 'Passaram mais de 24 horas.' },
  fallback: FALLBACK,
});

test('a template in place of a scheduled message has its schedule, and no other one has any', () => {
  const shownFor = (message: typeof REFUSED) =>
    (decideFallback(conversationFixture(), { id: 'msg_1', message }, NOW) ?? assert.fail()).message;
  const schedule = { at: NOW - 60_000, ifLate: 'expire' } as const;
  assert.deepEqual(shownFor({ ...REFUSED, schedule }).schedule, schedule);
  assert.ok(!('schedule' in shownFor(REFUSED)));
});

test('a message of a template has the text that a person reads, and its header’s file', () => {
  const content = { type: 'template', template: TEMPLATE } as const;
  const filled = { message: TEMPLATE, text: 'Seu pedido' };
  const text = { kind: 'text', media: null, text: 'Seu pedido', content };
  assert.deepEqual(templateDraft(filled, NO_FILE), text);
  const image = { kind: 'image', media: null } as const;
  assert.deepEqual(templateDraft(filled, image), { ...text, kind: 'image' });
});
