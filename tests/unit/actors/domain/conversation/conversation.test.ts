/** Entries of a conversation: sends, the last message, what is shown of it (C2.6, C6.4). */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import {
  type Accepted,
  append,
  type ConversationState,
  decideSend,
  messageEventData,
  newConversation,
  refuseTarget,
  type SendTarget,
  shownContent,
} from '../../../../../actors/domain/conversation/conversation.ts';
import {
  decideEcho,
  decideInbound,
} from '../../../../../actors/domain/conversation/network-message.ts';
import type { StoredMessage } from '../../../../../shared/message.ts';
import type { MessageContent } from '../../../../../shared/message-content.ts';
import type { InboundMedia } from '../../../../../shared/ports/network-event.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';
import { withRuns } from '../../../../support/property.ts';

const NO_RECEIPTS = { sent: null, delivered: null, read: null };
const PLAIN = { revision: 1, media: null, externalId: null, replyToId: null, transcript: null };
it('a conversation that begins is open, empty, and nobody’s', () => {
  const identity = { id: 'cnv_1', orgId: 'org_1', channelId: 'chn_1', contact: CONTACT };
  assert.deepEqual(newConversation({ ...identity, networkId: null }, NOW), {
    ...identity,
    ...{ networkId: null, status: 'open', assignedTo: null, participants: [], unread: 0 },
    ...{ lastMessageAt: NOW, lastMessagePreview: '', automationPausedUntil: null },
    ...{ createdAt: NOW, seq: 0, at: NOW, messages: 0, notes: 0, queuedSeq: 0, run: null },
    received: 0,
  });
});

const DRAFT = {
  text: 'Olá',
  kind: 'text',
  media: null,
  authorLabel: 'ERP',
  origin: 'api',
} as const;

describe('a send', () => {
  it('is queued as an automation’s, after the message that was queued before it', () => {
    const counts = { seq: 4, queuedSeq: 2, unread: 3, messages: 4, received: 2 };
    const before = conversationFixture(counts);
    const sent = decideSend(before, DRAFT, NOW + 5);
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
    const { message, state } = decideSend(conversationFixture({ at: NOW + 9 }), DRAFT, NOW);
    assert.deepEqual([message.createdAt, state.at], [NOW + 9, NOW + 9]);
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

test('section 4, POST /messages: where a send may go', () => {
  const target: SendTarget = {
    ...{ orgId: 'org_1', channelId: 'chn_1', channelScope: false },
    ...{ byConversation: true, phone: null },
  };
  const state = conversationFixture();
  const otherChannel = { path: 'conversationId', message: 'A conversa pertence a outro canal.' };
  const otherPhone = { path: 'phone', message: 'O telefone não é o do contato desta conversa.' };
  const rows: readonly (readonly [Partial<SendTarget>, ConversationState | null, unknown])[] = [
    [{}, state, null],
    [{ phone: CONTACT.phone }, state, null],
    [{ byConversation: false }, null, null],
    [{}, null, 'conversation_not_found'],
    [{ orgId: 'org_2' }, state, 'conversation_not_found'],
    [{ channelId: 'chn_2' }, state, [otherChannel]],
    [{ channelId: 'chn_2', channelScope: true }, state, 'other_channel'],
    [{ phone: '5511900000000' }, state, [otherPhone]],
  ];
  for (const [over, of, expected] of rows) {
    const refusal = refuseTarget(of, { ...target, ...over });
    assert.deepEqual(refusal && (refusal.issues ?? refusal.kind), expected, JSON.stringify(over));
  }
});

describe('the data of a message event', () => {
  const facts = { messageId: 'msg_1', occurredAt: NOW };
  const common = {
    ...{ messageId: 'msg_1', conversationId: 'cnv_1', phone: CONTACT.phone, channelId: 'chn_1' },
    ...{ occurredAt: '2026-05-04T12:00:00.000Z', contactId: 'ctc_1', origin: 'api' },
    author: outboundFixture().author,
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

  it('name the message that is answered', () => {
    const answer = outboundFixture({ replyToId: 'msg_0' });
    const data = messageEventData(conversationFixture(), answer, facts);
    assert.deepEqual(data, { ...common, text: 'Olá', kind: 'text', replyToId: 'msg_0' });
  });

  it('name the file, also while its network alone has it', () => {
    const mediaIn = (over: Partial<StoredMessage>, reported?: InboundMedia) =>
      messageEventData(conversationFixture(), outboundFixture(over), { ...facts, reported }).media;
    const reported = { networkMediaId: 'n', mimeType: 'audio/ogg; codecs=opus' };
    const due = { id: 'med_1', mimeType: 'audio/ogg', fileName: null, sizeBytes: null };
    assert.deepEqual(mediaIn({}, reported), due);
    const told = { ...reported, fileName: 'voz.ogg', sizeBytes: 7 };
    assert.deepEqual(mediaIn({}, told), { ...due, fileName: 'voz.ogg', sizeBytes: 7 });
    const media = { ...due, id: 'med_9' };
    assert.equal(mediaIn({ media }, reported), media);
    assert.equal(mediaIn({}), undefined);
  });

  it('name the origin of the fact where it is another than the message’s', () => {
    const told = { ...facts, origin: 'panel' } as const;
    const data = messageEventData(conversationFixture(), outboundFixture(), told);
    assert.equal(data.origin, 'panel');
  });
});

it('the time of the contact’s latest message is the latest of all, and no time of another’s message', () => {
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

const INTERACTIVE = {
  type: 'buttons',
  ...{ text: 'Vem?', footer: 'Até 18h' },
  buttons: [{ id: 'a', title: 'Sim' }],
} as const;
const ANSWER = { type: 'row', id: 'r1', title: 'Manhã', description: '9h às 12h' } as const;
const LOCATION = { latitude: -23.5, longitude: -46.25, name: 'Loja' };
const CONTACTS = [{ name: 'Ana', phones: ['+55 11 9'] }];
const TEMPLATE = {
  ...{ name: 'pedido', language: 'pt_BR', header: { text: 'Olá' } },
  ...{ body: [{ text: 'Ana' }], buttons: [] },
};

describe('beside its text', () => {
  test('a message shows nothing where it has no content', () => {
    assert.deepEqual(shownContent({ kind: 'text', text: 'oi' }), {});
    assert.deepEqual(shownContent({ kind: 'image', text: null, replyToId: 'msg_1' }), {});
  });

  test('a message shows its content; of a template the name and language alone', () => {
    const rows: readonly (readonly [MessageContent, ReturnType<typeof shownContent>])[] = [
      [
        { type: 'template', template: TEMPLATE },
        { template: { name: 'pedido', language: 'pt_BR' } },
      ],
      [{ type: 'interactive', interactive: INTERACTIVE }, { interactive: INTERACTIVE }],
      [{ type: 'answer', answer: ANSWER }, { interactive: ANSWER }],
      [{ type: 'location', location: LOCATION }, { location: LOCATION }],
      [{ type: 'contacts', contacts: CONTACTS }, { contacts: CONTACTS }],
    ];
    for (const [content, shown] of rows) {
      assert.deepEqual(shownContent({ kind: 'text', text: 'oi', content }), shown);
      const instead = { kind: 'text', text: 'oi', content, replacesId: 'msg_1' } as const;
      assert.deepEqual(shownContent(instead), { ...shown, replacesId: 'msg_1' });
    }
  });

  test('a reaction of either direction shows its target, and an empty emoji once taken back', () => {
    const reaction = { messageId: 'msg_9', emoji: '👍' };
    const content = { type: 'reaction', reaction } as const;
    const kind = 'reaction';
    assert.deepEqual(shownContent({ kind, text: '👍', replyToId: 'msg_9', content }), { reaction });
    assert.deepEqual(shownContent({ kind, text: '👍', replyToId: 'msg_9' }), { reaction });
    assert.deepEqual(shownContent({ kind, text: null, replyToId: null }), {
      reaction: { messageId: null, emoji: '' },
    });
    assert.deepEqual(shownContent({ kind, text: '👍' }), {
      reaction: { messageId: null, emoji: '👍' },
    });
  });
});

const forAll = withRuns(3_000);

interface Step {
  readonly does: 'send' | 'inbound' | 'echo';
  readonly text: string | null;
  /** The clock of this step, which may go back. */
  readonly now: number;
  readonly networkAt: number;
}

const stepsArb: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    does: fc.constantFrom('send', 'inbound', 'echo'),
    text: fc.option(fc.string({ unit: 'grapheme', maxLength: 200 }), { nil: null }),
    now: fc.integer({ min: NOW - 5_000, max: NOW + 100_000 }),
    networkAt: fc.integer({ min: NOW - 100_000, max: NOW + 100_000 }),
  }),
  { maxLength: 20, size: 'max' },
);

function decide(state: ConversationState, { does, text, now, networkAt }: Step): Accepted {
  if (does === 'send') {
    return decideSend(state, { ...DRAFT, text }, now);
  }
  const ids = { messageId: 'msg_1', eventId: 'evt_1', externalId: 'w1', replyToId: null };
  const sender = { networkId: CONTACT.phone, contact: CONTACT };
  const facts = { ...ids, ...sender, kind: 'text', text, at: networkAt } as const;
  if (does === 'inbound') return decideInbound(state, facts, now);
  return decideEcho(state, { ...facts, pauseMs: 1_800_000, authorLabel: 'A' }, now);
}

test('design, Committing: each decision appends one entry, and entries never go back in time', () => {
  forAll([stepsArb], (steps) => {
    steps.reduce((state, step) => {
      const before = structuredClone(state);
      const accepted = decide(state, step);
      assert.deepEqual(state, before, 'the state decided on is not touched');
      assert.equal(accepted.state.seq, state.seq + 1);
      assert.ok(accepted.state.at >= state.at);
      assert.ok(accepted.state.lastMessageAt >= state.lastMessageAt || state.seq === 0);
      return accepted.state;
    }, conversationFixture());
  });
});

test('invariant 2: queued messages are in order of time as they are in order of seq', () => {
  forAll([stepsArb], (steps) => {
    let state = conversationFixture();
    let last = 0;
    for (const step of steps) {
      const accepted = decide(state, step);
      state = accepted.state;
      if (!accepted.queued) continue;
      assert.ok(accepted.message.createdAt >= last);
      last = accepted.message.createdAt;
    }
  });
});

test('decisions, Behaviour: unread counts what the contact wrote since the last outbound', () => {
  forAll([stepsArb], (steps) => {
    const end = steps.reduce((state, step) => decide(state, step).state, conversationFixture());
    const lastOut = steps.findLastIndex(({ does }) => does !== 'inbound');
    assert.equal(end.unread, steps.length - 1 - lastOut);
    assert.equal(end.messages, steps.length);
  });
});

test('section 6: each message that the network brings is told once; a send is told by its receipt', () => {
  forAll([stepsArb], (steps) => {
    let state = conversationFixture();
    for (const step of steps) {
      const accepted = decide(state, step);
      state = accepted.state;
      assert.equal(accepted.outbox.length, step.does === 'send' ? 0 : 1);
    }
  });
});
