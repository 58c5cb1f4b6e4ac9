/** Facts of a message: what its event tells, and the time that it leaves in the conversation. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { append, messageEventData } from '../../../../actors/domain/conversation.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';

describe('the data of a message event', () => {
  const facts = { messageId: 'msg_1', occurredAt: NOW };
  const common = {
    ...{ messageId: 'msg_1', conversationId: 'cnv_1', phone: CONTACT.phone, channelId: 'chn_1' },
    ...{ occurredAt: '2026-05-04T12:00:00.000Z', contactId: 'ctc_1', origin: 'api' },
  };

  it('are those of the contract, and of a plain text nothing else', () => {
    const data = messageEventData(conversationFixture(), outboundFixture(), facts);
    assert.deepEqual(data, { ...common, text: 'Olá', kind: 'text' });
  });

  it('end with what the message shows beside its text', () => {
    const location = { latitude: -23.5, longitude: -46.6 };
    const place = outboundFixture({
      ...{ kind: 'location', text: 'Loja', content: { type: 'location', location } },
      replacesId: 'msg_0',
    });
    const data = messageEventData(conversationFixture(), place, facts);
    const shown = { location, replacesId: 'msg_0' };
    assert.deepEqual(data, { ...common, text: 'Loja', kind: 'location', ...shown });
    assert.deepEqual(Object.keys(data).slice(-2), ['location', 'replacesId']);
  });

  it('name the origin of the fact where it is another than the message’s', () => {
    const told = { ...facts, origin: 'panel' } as const;
    const data = messageEventData(conversationFixture(), outboundFixture(), told);
    assert.equal(data.origin, 'panel');
  });
});

describe('the time of the contact’s latest message', () => {
  it('is the latest of all, and no time of another’s message', () => {
    const inbound = (createdAt: number) =>
      outboundFixture({ direction: 'in', status: 'received', createdAt });
    const first = append(conversationFixture(), inbound(NOW), NOW);
    assert.equal(first.lastInboundAt, NOW);
    assert.equal(append(first, inbound(NOW - 1), NOW).lastInboundAt, NOW);
    assert.equal(append(first, inbound(NOW + 1), NOW).lastInboundAt, NOW + 1);
    const answered = append(first, outboundFixture({ createdAt: NOW + 2 }), NOW);
    assert.equal(answered.lastInboundAt, NOW);
    assert.equal('lastInboundAt' in append(conversationFixture(), outboundFixture(), NOW), false);
  });
});
