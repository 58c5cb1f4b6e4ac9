/** Entries that each decision about a conversation appends, compared as a whole (C2.6, C6.4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  append,
  decideSend,
  newConversation,
  refuseTarget,
  type SendTarget,
} from '../../../../actors/domain/conversation.ts';
import {
  decideAssign,
  decideNote,
  decideParticipants,
  decidePause,
  decideReply,
  decideResolve,
  decideResume,
} from '../../../../actors/domain/member-actions.ts';
import {
  decideEcho,
  decideInbound,
  type InboundFacts,
} from '../../../../actors/domain/network-message.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';

const NO_RECEIPTS = { sent: null, delivered: null, read: null };
const PLAIN = { revision: 1, media: null, externalId: null, replyToId: null, transcript: null };
const ANA = { id: 'mbr_ana', name: 'Ana' };

const FACTS: InboundFacts = {
  messageId: 'msg_1',
  eventId: 'evt_1',
  externalId: 'w1',
  kind: 'text',
  text: 'Oi',
  replyToId: 'msg_0',
  networkId: '5511987654321',
  at: NOW - 60_000,
  contact: CONTACT,
};

describe('a conversation that begins', () => {
  it('is open, empty, and nobody’s', () => {
    const identity = { id: 'cnv_1', orgId: 'org_1', channelId: 'chn_1', contact: CONTACT };
    assert.deepEqual(newConversation({ ...identity, networkId: null }, NOW), {
      ...identity,
      ...{ networkId: null, status: 'open', assignedTo: null, participants: [], unread: 0 },
      ...{ lastMessageAt: NOW, lastMessagePreview: '', automationPausedUntil: null },
      ...{ createdAt: NOW, seq: 0, at: NOW, messages: 0, notes: 0, queuedSeq: 0, run: null },
      received: 0,
    });
  });
});

describe('a send', () => {
  const draft = {
    text: 'Olá',
    kind: 'text',
    media: null,
    authorLabel: 'ERP',
    origin: 'api',
  } as const;

  it('is queued as an automation’s, after the message that was queued before it', () => {
    const before = conversationFixture({
      seq: 4,
      queuedSeq: 2,
      unread: 3,
      messages: 4,
      received: 2,
    });
    const sent = decideSend(before, draft, NOW + 5);
    const message = {
      ...{ ...PLAIN, direction: 'out', kind: 'text', text: 'Olá', status: 'queued' },
      ...{ author: { kind: 'automation', label: 'ERP' }, receipts: NO_RECEIPTS },
      ...{ origin: 'api', createdAt: NOW + 5 },
    };
    const state = {
      ...{ ...before, seq: 5, queuedSeq: 5, at: NOW + 5, unread: 0, messages: 5 },
      ...{ lastMessageAt: NOW + 5, lastMessagePreview: 'Olá', lastMessageSeq: 5 },
    };
    assert.deepEqual(sent, { state, message, queued: true, previousSeq: 2, outbox: [] });
  });

  it('never goes back in time', () => {
    const { message, state } = decideSend(conversationFixture({ at: NOW + 9 }), draft, NOW);
    assert.deepEqual([message.createdAt, state.at], [NOW + 9, NOW + 9]);
  });
});

describe('a message of the contact', () => {
  it('is received, unread, and told', () => {
    const before = conversationFixture({
      seq: 1,
      messages: 1,
      unread: 1,
      received: 1,
      lastMessageAt: 0,
    });
    const { state, message, outbox, queued, ...rest } = decideInbound(before, FACTS, NOW);
    assert.deepEqual(rest, {});
    assert.equal(queued, false);
    assert.deepEqual(message, {
      ...{ ...PLAIN, direction: 'in', kind: 'text', text: 'Oi', status: 'received' },
      ...{ author: { kind: 'contact', label: 'Maria' }, receipts: NO_RECEIPTS, externalId: 'w1' },
      ...{ replyToId: 'msg_0', origin: 'contact', createdAt: NOW - 60_000 },
    });
    assert.deepEqual(state, {
      ...{ ...before, networkId: FACTS.networkId, seq: 2, unread: 2, messages: 2, received: 2 },
      ...{ lastMessageAt: NOW - 60_000, lastMessagePreview: 'Oi', lastMessageSeq: 2 },
      ...{ lastInboundAt: NOW - 60_000, windowFrom: NOW - 60_000 },
    });
    const data = {
      ...{ messageId: 'msg_1', conversationId: 'cnv_1', phone: CONTACT.phone, text: 'Oi' },
      ...{ channelId: 'chn_1', occurredAt: new Date(NOW - 60_000).toISOString() },
      ...{ contactId: 'ctc_1', kind: 'text', origin: 'contact' },
    };
    assert.deepEqual(outbox, [{ type: 'event', id: 'evt_1', event: 'message.received', data }]);
  });

  it('is said by the phone where there is no name, and names the media it waits for', () => {
    const media = { id: 'm' } as unknown as NonNullable<InboundFacts['media']>;
    const contact = { ...CONTACT, name: null };
    const inbound = decideInbound(conversationFixture(), { ...FACTS, contact, media }, NOW);
    assert.equal(inbound.message.author.label, CONTACT.phone);
    assert.equal(inbound.state.contact, contact);
    assert.equal(inbound.media, media);
  });

  it('has our own time if it came within five seconds', () => {
    const createdAt = (at: number) =>
      decideInbound(conversationFixture(), { ...FACTS, at }, NOW).message.createdAt - NOW;
    assert.deepEqual(
      [-4_999, -5_000, 0, 7_000].map((ago) => createdAt(NOW + ago)),
      [0, -5_000, 0, 0],
    );
  });
});

describe('a message typed on the connected phone', () => {
  const echo = { ...FACTS, authorLabel: 'Telefone', pauseMs: 1_800_000 };

  it('is a member’s, sent, told, and pauses automation without shortening a pause', () => {
    const before = conversationFixture({ seq: 1, messages: 1, unread: 2, lastMessageAt: 0 });
    const { state, message, outbox, queued, ...rest } = decideEcho(before, echo, NOW);
    assert.deepEqual(rest, {});
    assert.equal(queued, false);
    const createdAt = NOW - 60_000;
    assert.deepEqual(message, {
      ...{ ...PLAIN, direction: 'out', kind: 'text', text: 'Oi', status: 'sent' },
      ...{ author: { kind: 'member', label: 'Telefone' }, externalId: 'w1', origin: 'network' },
      ...{ receipts: { ...NO_RECEIPTS, sent: createdAt }, createdAt, replyToId: 'msg_0' },
    });
    assert.deepEqual(state, {
      ...{ ...before, networkId: FACTS.networkId, seq: 2, unread: 0, messages: 2 },
      ...{ lastMessageAt: createdAt, lastMessagePreview: 'Oi', lastMessageSeq: 2 },
      automationPausedUntil: NOW + 1_800_000,
    });
    const [event] = outbox;
    assert.ok(event?.type === 'event' && event.event === 'message.sent' && event.id === 'evt_1');
    const longer = conversationFixture({ automationPausedUntil: NOW + 9_000_000 });
    assert.equal(decideEcho(longer, echo, NOW).state.automationPausedUntil, NOW + 9_000_000);
    const media = { id: 'm' } as unknown as NonNullable<InboundFacts['media']>;
    assert.equal(decideEcho(before, { ...echo, media }, NOW).media, media);
    const content = { type: 'location', location: { latitude: 1, longitude: 2 } } as const;
    assert.deepEqual(decideEcho(before, { ...echo, content }, NOW).message.content, content);
  });
});

describe('the last message', () => {
  const at = (createdAt: number) => outboundFixture({ createdAt, text: `at ${createdAt - NOW}` });

  it('is the newest by its own time, the later of equals, the first of all', () => {
    const one = append(conversationFixture({ lastMessageAt: NOW + 50 }), at(NOW), NOW);
    assert.deepEqual([one.lastMessageAt, one.lastMessagePreview], [NOW, 'at 0'], 'the first');
    const same = append(one, outboundFixture({ createdAt: NOW, text: 'same' }), NOW);
    assert.equal(same.lastMessagePreview, 'same');
    const older = append(same, at(NOW - 1), NOW + 7);
    assert.deepEqual([older.lastMessageAt, older.lastMessagePreview], [NOW, 'same']);
    assert.equal(older.at, NOW + 7);
  });

  it('is shown by its kind where it has no text, and by 160 characters of it', () => {
    const preview = (text: string | null, kind: 'text' | 'image' = 'text') =>
      append(conversationFixture(), outboundFixture({ text, kind }), NOW).lastMessagePreview;
    assert.equal(preview(null, 'image'), '[image]');
    assert.equal(preview('x'.repeat(160)), 'x'.repeat(160));
    assert.equal(preview('x'.repeat(161)), 'x'.repeat(160));
    assert.equal(preview('👍'.repeat(161)), '👍'.repeat(160));
  });
});

describe('section 4, POST /messages: where a send may go', () => {
  const target: SendTarget = {
    ...{ orgId: 'org_1', channelId: 'chn_1', channelScope: false },
    ...{ byConversation: true, phone: null },
  };
  const state = conversationFixture();
  const issue = (over: Partial<SendTarget>) => refuseTarget(state, { ...target, ...over })?.issues;

  it('into its own conversation, of its own channel, with its own phone', () => {
    assert.equal(refuseTarget(state, target), null);
    assert.equal(refuseTarget(state, { ...target, phone: CONTACT.phone }), null);
    assert.equal(refuseTarget(null, { ...target, byConversation: false }), null);
    const unknown = refuseTarget(null, target);
    assert.deepEqual(refuseTarget(state, { ...target, orgId: 'org_2' }), unknown);
    assert.ok(unknown);
    assert.deepEqual(issue({ channelId: 'chn_2' }), [
      { path: 'conversationId', message: 'A conversa pertence a outro canal.' },
    ]);
    const scoped = refuseTarget(state, { ...target, channelId: 'chn_2', channelScope: true });
    assert.ok(scoped && scoped.issues === undefined);
    assert.deepEqual(issue({ phone: '5511900000000' }), [
      { path: 'phone', message: 'O telefone não é o do contato desta conversa.' },
    ]);
  });
});

describe('what members do', () => {
  it('a note is the team’s own, never on the network', () => {
    const before = conversationFixture({ seq: 1, at: NOW + 3 });
    assert.deepEqual(decideNote(before, { author: ANA, text: 'ligar' }, NOW).message, {
      ...{ ...PLAIN, direction: 'note', kind: 'text', text: 'ligar', status: 'received' },
      ...{ author: { kind: 'member', label: 'Ana' }, receipts: NO_RECEIPTS, origin: 'panel' },
      createdAt: NOW + 3,
    });
  });

  it('a reply is sent as any message, by a member who takes part from then on', () => {
    const before = conversationFixture({ participants: ['mbr_bia'] });
    const reply = { author: ANA, text: 'Já vejo', pauseMs: 1_000 };
    const { message, state } = decideReply(before, reply, NOW);
    assert.deepEqual([message.kind, message.text, message.media], ['text', 'Já vejo', null]);
    assert.deepEqual(state.participants, ['mbr_bia', ANA.id]);
    assert.deepEqual(decideReply(state, reply, NOW).state.participants, ['mbr_bia', ANA.id]);
  });

  it('participants come and go; the same ones change nothing', () => {
    const before = conversationFixture({ participants: ['a', 'b'] });
    const after = (add: readonly string[], remove: readonly string[]) =>
      decideParticipants(before, { add, remove }, NOW)?.state.participants;
    assert.deepEqual(after(['c', 'a'], ['b']), ['a', 'c']);
    assert.deepEqual(after(['c'], []), ['a', 'b', 'c']);
    assert.deepEqual(after([], ['a']), ['b']);
    assert.deepEqual(after(['a'], ['a']), ['b', 'a']);
    assert.equal(after(['b', 'a'], ['x']), undefined);
  });

  it('assignment, pause and resolution say one thing each', () => {
    const before = conversationFixture({ seq: 3, at: NOW + 9, participants: ['a'] });
    const next = { ...before, seq: 4 };
    const appended = (state: object) => ({ state, queued: false, outbox: [] });
    const assigned = { ...next, assignedTo: 'b', participants: ['a', 'b'] };
    assert.deepEqual(decideAssign(before, 'b', NOW), appended(assigned));
    assert.deepEqual(decideAssign(assigned, null, NOW)?.state.participants, ['a', 'b']);
    assert.equal(decideAssign(assigned, 'b', NOW), null);
    const paused = { ...next, automationPausedUntil: NOW + 60_000 };
    assert.deepEqual(decidePause(before, 60_000, NOW), appended(paused));
    assert.equal(decidePause(paused, 1_000, NOW).state.automationPausedUntil, NOW + 1_000);
    assert.equal(decideResume(paused, NOW)?.state.automationPausedUntil, null);
    assert.equal(decideResume(before, NOW), null);
    assert.deepEqual(decideResolve(before, NOW), appended({ ...next, status: 'resolved' }));
    assert.equal(decideResolve({ ...before, status: 'resolved' }, NOW), null);
    assert.equal(decideResolve(before, NOW + 20)?.state.at, NOW + 20);
  });
});
