/** Names, extras and revisions of a message, by what the network reports of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideInbound,
  decideReceipt,
  type InboundFacts,
  type Receipt,
} from '../../../../actors/domain/network-message.ts';
import type { StoredMessage } from '../../../../shared/message.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';

const FULL_ID = 'true_5511987654321@c.us_A1';

function received(more: Partial<InboundFacts>): StoredMessage {
  const facts: InboundFacts = {
    ...{ messageId: 'msg_1', eventId: 'evt_1', kind: 'text', text: 'Oi', networkId: '55119' },
    ...{ externalId: 'w1', at: NOW, contact: CONTACT, replyToId: null, ...more },
  };
  return decideInbound(conversationFixture(), facts, NOW).message;
}

describe('a contact’s message', () => {
  it('has the advertisement and the content with which it came, where there are any', () => {
    const plain = received({});
    assert.deepEqual(plain, {
      ...{ revision: 1, direction: 'in', kind: 'text', text: 'Oi', media: null },
      author: { kind: 'contact', label: 'Maria' },
      ...{ status: 'received', receipts: { sent: null, delivered: null, read: null } },
      ...{ externalId: 'w1', replyToId: null, transcript: null, origin: 'contact', createdAt: NOW },
    });
    const referral = 'https://fb.me/anuncio';
    assert.deepEqual(received({ referral }), { ...plain, referral });
    const location = { latitude: -23.5, longitude: -46.25 };
    const content = { type: 'location', location } as const;
    assert.deepEqual(received({ content }), { ...plain, content });
    assert.deepEqual(received({ content, referral }), { ...plain, content, referral });
  });
});

describe('names that a receipt reports', () => {
  const names = (message: Partial<StoredMessage>, receipt: Partial<Receipt>) => {
    const given: Receipt = { status: 'sent', at: NOW, ...receipt };
    const after = decideReceipt(outboundFixture(message), given)?.message;
    assert.equal(after?.status, given.status);
    const { externalId, ...rest } = after;
    return { externalId, ...('fullId' in rest ? { fullId: rest.fullId } : {}) };
  };

  for (const status of ['sent', 'delivered', 'read', 'failed'] as const) {
    it(`are stored with the status "${status}", the known ones before others`, () => {
      const reported = { status, externalId: 'A1', fullId: FULL_ID };
      const known = { externalId: 'A0', fullId: 'true_5511987654321@c.us_A0' };
      assert.deepEqual(names({}, { status }), { externalId: null });
      assert.deepEqual(names({}, { status, externalId: 'A1' }), { externalId: 'A1' });
      assert.deepEqual(names({}, reported), { externalId: 'A1', fullId: FULL_ID });
      assert.deepEqual(names(known, reported), known);
      assert.deepEqual(names(known, { status }), known);
      const segment = { externalId: 'A1' };
      assert.deepEqual(names(segment, reported), { externalId: 'A1', fullId: FULL_ID });
    });
  }
});

describe('revisions of a message', () => {
  it('have a thousand for each rank of a status', () => {
    const table = [
      ['sent', 3_000],
      ['failed', 4_000],
      ['delivered', 5_000],
      ['read', 6_000],
    ] as const;
    for (const [status, revision] of table) {
      for (const before of [1, 999, 2_000]) {
        const message = outboundFixture({ revision: before });
        const decision = decideReceipt(message, { status, at: NOW });
        assert.equal(decision?.message.revision, revision, `${status} after ${before}`);
      }
    }
  });

  it('rise by one with a change under the same status', () => {
    const sent = outboundFixture({ status: 'sent', revision: 3_000 });
    const named = decideReceipt(sent, { status: 'sent', at: NOW, externalId: 'A1' });
    assert.deepEqual([named?.message.status, named?.message.revision], ['sent', 3_001]);
    const read = outboundFixture({ status: 'read', revision: 6_000 });
    const late = decideReceipt(read, { status: 'delivered', at: NOW });
    assert.deepEqual([late?.message.status, late?.message.revision], ['read', 6_001]);
  });
});
