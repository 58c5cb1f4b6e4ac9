/** Until when a bulk message may be sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bulkOf,
  refuseExpiry,
  sendingFrom,
} from '../../../../../actors/domain/conversation/bulk.ts';
import { decideFallback } from '../../../../../actors/domain/conversation/outbound-content.ts';
import { SENTENCES } from '../../../../../shared/api/sentences.ts';
import { invalid } from '../../../../../shared/failures.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const REFUSED = invalid({ path: 'expiresAt', message: SENTENCES.expiryRange });

test('the end is ahead, 30 days at most, and 7 days ahead unless the caller says so', () => {
  for (const expiresAt of [NOW - 1, NOW, NOW + 30 * DAY_MS + 1]) {
    assert.deepEqual(refuseExpiry({ expiresAt }, NOW), REFUSED, String(expiresAt - NOW));
  }
  for (const expiresAt of [NOW + 1, NOW + 30 * DAY_MS, null]) {
    assert.equal(refuseExpiry({ expiresAt }, NOW), null);
  }
  assert.deepEqual(bulkOf({ expiresAt: null }, NOW), { expiresAt: NOW + 7 * DAY_MS });
  assert.deepEqual(bulkOf({ expiresAt: NOW + 5 }, NOW), { expiresAt: NOW + 5 });
});

test('a scheduled one is measured from its time', () => {
  assert.equal(sendingFrom({ at: NOW + DAY_MS }, NOW), NOW + DAY_MS);
  assert.equal(sendingFrom({ at: NOW - 1_000 }, NOW), NOW);
  assert.equal(sendingFrom(undefined, NOW), NOW);
});

test('the template in place of a refused bulk message is one too', () => {
  const bulk = { expiresAt: NOW + DAY_MS };
  const template = { name: 'aviso', language: 'pt_BR', body: [], buttons: [] };
  const message = outboundFixture({
    bulk,
    status: 'failed',
    error: { code: '131047', message: 'Passaram mais de 24 horas.' },
    fallback: { template, text: 'Aviso', kind: 'text', media: null },
  });
  const decided = decideFallback(conversationFixture(), { id: 'msg_1', message }, NOW);
  assert.deepEqual(decided?.message.bulk, bulk);
});
