import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideSend,
  refuseTarget,
  type SendTarget,
} from '../../../../actors/domain/conversation.ts';
import {
  decideEcho,
  decideInbound,
  type InboundFacts,
} from '../../../../actors/domain/network-message.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
} from '../../../support/actors/domain/message-fixture.ts';

const DRAFT = {
  text: 'Olá',
  kind: 'text',
  media: null,
  authorLabel: 'ERP',
  origin: 'api',
} as const;

const INBOUND: InboundFacts = {
  messageId: 'msg_in',
  eventId: 'msg_in.inbound',
  externalId: 'wamid.1',
  kind: 'text',
  text: 'Oi',
  replyToId: null,
  networkId: '5511987654321',
  at: NOW,
  contact: CONTACT,
};

test('section 4: an accepted message is queued and appended with the next seq', () => {
  const state = conversationFixture({ seq: 7, messages: 5, unread: 3 });
  const accepted = decideSend(state, DRAFT, NOW + 10);
  assert.equal(accepted.queued, true);
  assert.equal(accepted.state.seq, 8);
  assert.equal(accepted.state.messages, 6);
  assert.equal(accepted.state.unread, 0);
  assert.equal(accepted.state.lastMessagePreview, 'Olá');
  assert.equal(accepted.state.lastMessageAt, NOW + 10);
  assert.equal(accepted.message.status, 'queued');
  assert.deepEqual(accepted.message.author, { kind: 'automation', label: 'ERP' });
  assert.deepEqual(accepted.outbox, []);
});

test('section 6: message.received carries the six fields first, in their order', () => {
  const accepted = decideInbound(conversationFixture(), INBOUND, NOW);
  const [item] = accepted.outbox;
  assert.ok(item?.type === 'event');
  assert.equal(item.event, 'message.received');
  assert.deepEqual(Object.keys(item.data).slice(0, 6), [
    'messageId',
    'conversationId',
    'phone',
    'text',
    'channelId',
    'occurredAt',
  ]);
  assert.equal(item.data.origin, 'contact');
});

test("decisions, Behaviour: a contact's message reopens a resolved conversation only", () => {
  const status = (before: 'open' | 'in_flow' | 'resolved') =>
    decideInbound(conversationFixture({ status: before }), INBOUND, NOW).state.status;
  assert.equal(status('resolved'), 'open');
  assert.equal(status('open'), 'open');
  assert.equal(status('in_flow'), 'in_flow');
});

test('decisions, Behaviour: a person typing on the phone pauses automation and is history', () => {
  const echo = { ...INBOUND, pauseMs: 1_800_000, authorLabel: 'Atendimento' };
  const accepted = decideEcho(conversationFixture({ unread: 2 }), echo, NOW);
  assert.equal(accepted.state.automationPausedUntil, NOW + 1_800_000);
  assert.equal(accepted.state.unread, 0);
  assert.equal(accepted.queued, false);
  assert.equal(accepted.message.status, 'sent');
  assert.deepEqual(accepted.message.author, { kind: 'member', label: 'Atendimento' });
  assert.deepEqual(
    accepted.outbox.map((item) => item.type === 'event' && item.event),
    ['message.sent'],
  );
  const longer = conversationFixture({ automationPausedUntil: NOW + 9_000_000 });
  assert.equal(decideEcho(longer, echo, NOW).state.automationPausedUntil, NOW + 9_000_000);
});

test('a preview is cut by code points', () => {
  const text = '😀'.repeat(200);
  const { state } = decideSend(conversationFixture(), { ...DRAFT, text }, NOW);
  assert.equal(state.lastMessagePreview, '😀'.repeat(160));
});

test('the networks tell whole seconds: what has just happened has our own time', () => {
  const second = NOW - (NOW % 1000);
  const recent = decideInbound(conversationFixture(), { ...INBOUND, at: second }, second + 700);
  assert.equal(recent.message.createdAt, second + 700);
  const old = decideInbound(conversationFixture(), { ...INBOUND, at: NOW - 60_000 }, NOW);
  assert.equal(old.message.createdAt, NOW - 60_000);
});

test('section 4 and 7: where a send may go', () => {
  const state = conversationFixture();
  const target = (over: Partial<SendTarget>): SendTarget => ({
    orgId: 'org_1',
    channelId: 'chn_1',
    channelScope: false,
    byConversation: true,
    phone: null,
    ...over,
  });
  const judged = (over: Partial<SendTarget>, of: typeof state | null = state) => {
    const refusal = refuseTarget(of, target(over));
    return refusal && (refusal.issues?.[0]?.path ?? refusal.kind);
  };
  assert.equal(judged({}), null);
  assert.equal(judged({ byConversation: false }, null), null);
  assert.equal(judged({}, null), 'conversation_not_found');
  assert.equal(judged({ orgId: 'org_2' }), 'conversation_not_found');
  assert.equal(judged({ channelId: 'chn_2' }), 'conversationId');
  assert.equal(judged({ channelId: 'chn_2', channelScope: true }), 'other_channel');
  assert.equal(judged({ phone: CONTACT.phone }), null);
  assert.equal(judged({ phone: '5511900000000' }), 'phone');
});
