import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import {
  decideEcho,
  decideInbound,
  decideReceipt,
  type InboundFacts,
  isMarketingStop,
  isOptOutWord,
  isOwnReaction,
  namesOf,
  type Receipt,
} from '../../../../../actors/domain/conversation/network-message.ts';
import { STATUS_RANK, type StoredMessage } from '../../../../../shared/message.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';
import { withRuns } from '../../../../support/property.ts';

const NO_RECEIPTS = { sent: null, delivered: null, read: null };
const PLAIN = { revision: 1, media: null, externalId: null, replyToId: null, transcript: null };
const FACTS: InboundFacts = {
  ...{ messageId: 'msg_1', eventId: 'evt_1', externalId: 'w1', replyToId: 'msg_0' },
  ...{ kind: 'text', text: 'Oi', networkId: '5511987654321', at: NOW - 60_000, contact: CONTACT },
};

const received = (more: Partial<InboundFacts>) =>
  decideInbound(conversationFixture(), { ...FACTS, ...more }, NOW).message;

describe('a message of the contact', () => {
  it('is received, unread, and told', () => {
    const counts = { seq: 1, messages: 1, unread: 1, received: 1, lastMessageAt: 0 };
    const before = conversationFixture(counts);
    const { state, message, outbox, queued, ...rest } = decideInbound(before, FACTS, NOW);
    assert.deepEqual(rest, {});
    assert.equal(queued, false);
    assert.deepEqual(message, {
      ...{ ...PLAIN, direction: 'in', kind: 'text', text: 'Oi', status: 'received' },
      ...{ author: { kind: 'contact', label: 'Maria' }, receipts: NO_RECEIPTS, externalId: 'w1' },
      ...{ replyToId: 'msg_0', origin: 'contact', createdAt: NOW - 60_000, arrivedAt: NOW },
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
      ...{ author: { kind: 'contact', label: 'Maria' }, replyToId: 'msg_0' },
    };
    assert.deepEqual(outbox, [{ type: 'event', id: 'evt_1', event: 'message.received', data }]);
    const told = outbox.map((item) => ('data' in item ? Object.keys(item.data) : []));
    const six = ['messageId', 'conversationId', 'phone', 'text', 'channelId', 'occurredAt'];
    assert.deepEqual(told[0]?.slice(0, 6), six, 'section 6: six fields first, in their order');
  });

  it('reopens a resolved conversation only', () => {
    const status = (before: 'open' | 'in_flow' | 'resolved') =>
      decideInbound(conversationFixture({ status: before }), FACTS, NOW).state.status;
    const after = [status('resolved'), status('open'), status('in_flow')];
    assert.deepEqual(after, ['open', 'open', 'in_flow']);
  });

  it('has why the network has no file of it, and its event too', () => {
    const error = { code: '131052', message: 'A rede não conseguiu baixar a mídia.' };
    const lost = { ...FACTS, kind: 'image', text: null, error } as const;
    const { message, outbox } = decideInbound(conversationFixture(), lost, NOW);
    assert.deepEqual([message.error, message.status, message.media], [error, 'received', null]);
    const [event] = outbox;
    assert.ok(event?.type === 'event');
    assert.deepEqual([event.event, Object(event.data).error], ['message.received', error]);
  });

  it('has the advertisement and the content with which it came, where there are any', () => {
    const referral = 'https://fb.me/anuncio';
    const location = { latitude: -23.5, longitude: -46.25 };
    const content = { type: 'location', location } as const;
    for (const more of [{ referral }, { content }, { content, referral }]) {
      assert.deepEqual(received(more), { ...received({}), ...more });
    }
  });

  it('has the advertisement, product and order that the network told, and tells them', () => {
    const ids = { sourceId: '1', sourceType: 'ad', sourceUrl: null, clickId: null };
    const ad = { ...ids, headline: null, body: null };
    const product = { catalogId: null, retailerId: 'A' };
    const order = { catalogId: '8', text: null, items: [] };
    for (const more of [{}, { ad }, { product, order }]) {
      const { message, outbox } = decideInbound(conversationFixture(), { ...FACTS, ...more }, NOW);
      assert.deepEqual(message, { ...received({}), ...more });
      const [told] = outbox;
      assert.ok(told && 'data' in told);
      const { ad: shown, product: asked, order: ordered } = told.data;
      assert.deepEqual(
        { ...(shown ? { ad: shown } : {}), ...(asked ? { product: asked, order: ordered } : {}) },
        more,
      );
    }
  });

  it('is said by the phone where there is no name, and names the media it waits for', () => {
    const media = { networkMediaId: 'n', mimeType: 'audio/ogg' };
    const contact = { ...CONTACT, name: null };
    const inbound = decideInbound(conversationFixture(), { ...FACTS, contact, media }, NOW);
    assert.equal(inbound.message.author.label, CONTACT.phone);
    assert.equal(inbound.state.contact, contact);
    assert.equal(inbound.media, media);
    const [event] = inbound.outbox;
    assert.ok(event?.type === 'event');
    const { media: told, author, replyToId } = event.data;
    assert.deepEqual(Object(told).mimeType, 'audio/ogg');
    assert.deepEqual([author, replyToId], [inbound.message.author, FACTS.replyToId]);
  });

  it('has our own time if it came within five seconds: the networks tell whole seconds', () => {
    const createdAt = (at: number) => received({ at }).createdAt - NOW;
    const times = [-4_999, -5_000, 0, 7_000].map((ago) => createdAt(NOW + ago));
    assert.deepEqual(times, [0, -5_000, 0, 0]);
  });

  it('is the newest after an owner whose clock was ahead, as our own messages are', () => {
    const ahead = NOW + 60_000;
    const facts = {
      seq: 1,
      messages: 1,
      lastMessageAt: ahead,
      at: ahead,
      lastMessagePreview: 'Olá',
    };
    const decided = decideInbound(conversationFixture(facts), { ...FACTS, at: NOW - 1_000 }, NOW);
    const { message, ownPlace, state } = decided;
    assert.deepEqual(
      [message.createdAt, message.arrivedAt, ownPlace],
      [ahead, undefined, undefined],
    );
    assert.deepEqual([state.lastMessagePreview, state.ownPlaces], ['Oi', undefined]);
    const late = decideInbound(conversationFixture(facts), FACTS, NOW);
    assert.deepEqual(late.ownPlace, { at: NOW - 60_000, seq: 2 });
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
      arrivedAt: NOW,
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
    const media = { networkMediaId: 'n', mimeType: 'image/png' };
    const typed = decideEcho(before, { ...echo, media }, NOW);
    assert.equal(typed.media, media);
    const [sent] = typed.outbox;
    assert.ok(sent?.type === 'event' && Object(sent.data.media).mimeType === 'image/png');
    const content = { type: 'location', location: { latitude: 1, longitude: 2 } } as const;
    assert.deepEqual(decideEcho(before, { ...echo, content }, NOW).message.content, content);
  });
});

describe('a reaction', () => {
  const takenBack = { ...FACTS, kind: 'reaction', text: '' } as const;
  const before = conversationFixture({
    ...{ status: 'resolved', seq: 4, messages: 3, unread: 2, received: 2 },
    ...{ lastMessageAt: NOW - 90_000, lastMessagePreview: 'Oi', lastMessageSeq: 4 },
  });
  const recorded = {
    ...{ ...before, networkId: FACTS.networkId, seq: 5, messages: 4 },
    // The order of the history knows it, and no list shows it.
    historyAt: NOW - 60_000,
  };

  it('that is taken back is on record and told, and changes nothing else, on either side', () => {
    const inbound = decideInbound(before, takenBack, NOW);
    assert.deepEqual(inbound.state, recorded);
    assert.deepEqual([inbound.message.kind, inbound.message.text], ['reaction', '']);
    assert.equal(inbound.outbox.length, 1);
    const typed = { ...takenBack, authorLabel: 'Telefone', pauseMs: 1_800_000 };
    assert.deepEqual(decideEcho(before, typed, NOW).state, recorded);
  });

  it('reopens and is unread while it has an emoji', () => {
    const { state } = decideInbound(before, { ...takenBack, text: '👍' }, NOW);
    assert.deepEqual([state.status, state.unread, state.lastMessagePreview], ['open', 3, '👍']);
  });

  const ours = (text: string, over: Partial<StoredMessage> = {}) =>
    outboundFixture({ kind: 'reaction', text, replyToId: 'msg_0', status: 'sent', ...over });
  const typed = (text: string) => ours(text, { origin: 'network' });
  const rows: readonly (readonly [string, readonly StoredMessage[], string, boolean])[] = [
    ['the one that was sent', [ours('👍')], '👍', true],
    ['with another variation selector', [ours('❤️')], '❤', true],
    ['taken back by us', [ours(''), ours('👍')], '', true],
    ['an earlier one, reported late', [ours('❤️'), ours('👍')], '👍', true],
    ['another emoji', [ours('👍')], '🙏', false],
    ['one that failed', [ours('👍', { status: 'failed' })], '👍', false],
    ['to another message', [ours('👍', { replyToId: 'msg_9' })], '👍', false],
    ['after a person’s own', [typed('🙏'), ours('👍')], '👍', false],
    ['before a person’s own', [ours('👍'), typed('🙏')], '👍', true],
    ['none', [], '👍', false],
  ];
  for (const [name, newestFirst, text, expected] of rows) {
    it(`reported as typed is our own or not: ${name}`, () => {
      assert.equal(isOwnReaction(newestFirst, { text, replyToId: 'msg_0' }), expected);
    });
  }

  it('to an unknown message is never our own', () => {
    const unknown = ours('👍', { replyToId: null });
    assert.equal(isOwnReaction([unknown], { text: '👍', replyToId: null }), false);
  });
});

test('decisions, Behaviour: one opt-out word alone opts out, whatever its case and the marks around it', () => {
  const quoted = ['"sair"', '“Sair”', '«sair»', '‘sair’', '*SAIR*', '`stop`', '(sair)', '~parar~'];
  const ended = ['SAIR!', 'Sair.', 'sair…', 'Sair!!!', '- sair', 'SAIR ?', '¡STOP!'];
  const invisible = [
    '\u200eSAIR',
    '\ufeffsair',
    'SAIR\u200b',
    '\u00a0sair',
    'sa\u00adir',
    'SAIR\ufe0f',
  ];
  const plain = [
    'SAIR',
    'sair',
    ' Parar ',
    'cancelar',
    'stop',
    'ＳＡＩＲ',
    '\n"\u200fSair."\u2069\n',
  ];
  for (const word of [...plain, ...quoted, ...ended, ...invisible]) {
    assert.equal(isOptOutWord(word), true, word);
  }
  const sentences = [
    'quero sair',
    'sair, por favor',
    'sair sair',
    'não, sair',
    'pare!',
    'SAIR 2',
    'sair 😀',
  ];
  for (const text of [...sentences, 'sai', 'saír', '"', '!', '', `${'!'.repeat(100)}sair`, null]) {
    assert.equal(isOptOutWord(text), false, String(text));
  }
});

test('D327: the network’s button of a marketing template stops marketing, and is no opt-out', () => {
  const stops = [
    'Parar promoções',
    'parar promocoes',
    'PARAR PROMOÇÕES!',
    'Stop promotions',
    ' "stop promotions" ',
  ];
  for (const text of stops) {
    assert.deepEqual([isMarketingStop(text), isOptOutWord(text)], [true, false], text);
  }
  for (const text of [
    'parar',
    'parar as promoções',
    'promoções',
    'stop promotions please',
    '',
    null,
  ]) {
    assert.equal(isMarketingStop(text), false, String(text));
  }
});

test('a message is stored under the canonical id, and the whole one where it is known', () => {
  const fullId = 'true_5511987654321@c.us_A1';
  assert.deepEqual(namesOf({ externalId: 'A1', fullId }), { externalId: 'A1', fullId });
  assert.deepEqual(namesOf({ externalId: 'A1', fullId: undefined }), { externalId: 'A1' });
});

const FULL_ID = 'true_5511987654321@c.us_A1';

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

const SENT = { sent: NOW, delivered: null, read: null };

type Row = readonly [string, Partial<StoredMessage>, Receipt, Partial<StoredMessage>, string];

/** Title, the message before, the receipt, parts of the message after, and the events. */
const RECEIPTS: readonly Row[] = [
  [
    'section 6: a message that the network accepts is sent, with the id that it has there',
    {},
    { status: 'sent', at: NOW, externalId: 'w1' },
    { status: 'sent', externalId: 'w1', receipts: SENT },
    'message.sent',
  ],
  [
    'design, Networks: read fills delivered, and tells of the sending too',
    {},
    { status: 'read', at: NOW },
    { receipts: { sent: NOW, delivered: NOW, read: NOW } },
    'message.sent message.read',
  ],
  [
    'decisions, Behaviour: a refusal by the network fails the message with its reason',
    {},
    { status: 'failed', at: NOW, error: { code: '131047', message: 'Fora da janela.' } },
    { status: 'failed', error: { code: '131047', message: 'Fora da janela.' } },
    'message.failed',
  ],
  [
    'a failure that names no error has one all the same',
    {},
    { status: 'failed', at: NOW },
    { error: { code: 'unknown', message: 'A rede recusou a mensagem.' } },
    'message.failed',
  ],
  [
    'a message that arrives after all leaves its failure behind',
    { status: 'failed', error: { code: 'unconfirmed', message: 'x' } },
    { status: 'delivered', at: NOW },
    { status: 'delivered' },
    'message.sent message.delivered',
  ],
  [
    'the networks tell whole seconds: delivered is never shown before sent',
    { status: 'sent', receipts: SENT },
    { status: 'delivered', at: NOW - 700 },
    { receipts: { ...SENT, delivered: NOW } },
    'message.delivered',
  ],
];

for (const [title, before, receipt, expected, events] of RECEIPTS) {
  test(title, () => {
    const decision = decideReceipt(outboundFixture(before), receipt);
    assert.ok(decision);
    assert.partialDeepStrictEqual(decision.message, expected);
    assert.equal('error' in decision.message, receipt.status === 'failed');
    assert.equal(decision.events.map(({ event }) => event).join(' '), events);
    assert.ok(decision.events.every(({ at }) => at === NOW));
  });
}

test('a receipt changes nothing of an inbound message, a delivered one, or where it is known', () => {
  const known = { status: 'sent', externalId: 'w1', receipts: SENT } as const;
  const inbound = { direction: 'in', status: 'received' } as const;
  const delivered = { status: 'delivered', receipts: { ...SENT, delivered: NOW } } as const;
  const after = (before: Partial<StoredMessage>, receipt: Receipt) =>
    decideReceipt(outboundFixture(before), receipt);
  assert.equal(after(inbound, { status: 'read', at: NOW }), null);
  assert.equal(after(known, { status: 'sent', at: NOW + 9, externalId: 'w1' }), null);
  assert.equal(after(delivered, { status: 'failed', at: NOW + 1 }), null);
});

const forAll = withRuns(5_000);

const receiptArb: fc.Arbitrary<Receipt> = fc.record(
  {
    status: fc.constantFrom<Receipt['status']>('sent', 'delivered', 'read', 'failed'),
    at: fc.integer({ min: NOW - 3_000, max: NOW + 60_000 }),
    externalId: fc.constant('wamid.1'),
  },
  { requiredKeys: ['status', 'at'] },
);
const receiptsArb = fc.array(receiptArb, { maxLength: 12 });

interface Told {
  readonly message: StoredMessage;
  readonly events: readonly string[];
  readonly steps: readonly StoredMessage[];
}

function tell(receipts: readonly Receipt[]): Told {
  let message = outboundFixture();
  const events: string[] = [];
  const steps = [message];
  for (const receipt of receipts) {
    const decision = decideReceipt(message, receipt);
    if (!decision) continue;
    message = decision.message;
    events.push(...decision.events.map(({ event }) => event));
    steps.push(message);
  }
  return { message, events, steps };
}

test('design, Networks: the ladder never goes down, whatever order the receipts come in', () => {
  forAll([receiptsArb], (receipts) => {
    const { steps } = tell(receipts);
    steps.reduce((before, after) => {
      assert.ok(STATUS_RANK[after.status] >= STATUS_RANK[before.status]);
      assert.ok(after.revision > before.revision);
      for (const step of ['sent', 'delivered', 'read'] as const) {
        if (before.receipts[step] !== null) {
          assert.equal(after.receipts[step], before.receipts[step]);
        }
      }
      return after;
    });
  });
});

test('where the status of a message ends does not depend on the order or on repetition', () => {
  const shuffled = receiptsArb.chain((receipts) =>
    fc.tuple(
      fc.constant(receipts),
      fc.shuffledSubarray([...receipts, ...receipts], {
        minLength: 2 * receipts.length,
        maxLength: 2 * receipts.length,
      }),
    ),
  );
  forAll([shuffled], ([receipts, again]) => {
    const one = tell(receipts).message;
    const other = tell(again).message;
    assert.equal(other.status, one.status);
    const highest = Math.max(STATUS_RANK.sending, ...receipts.map((r) => STATUS_RANK[r.status]));
    assert.equal(STATUS_RANK[one.status], highest);
  });
});

test('of two owners who go on from one message, the higher status has the higher revision', () => {
  forAll([receiptsArb, receiptsArb, receiptsArb], (before, some, others) => {
    const [one, other] = [some, others].map((each) => tell([...before, ...each]).message);
    assert.ok(one && other);
    const higher = STATUS_RANK[one.status] - STATUS_RANK[other.status];
    if (higher !== 0) assert.equal(Math.sign(one.revision - other.revision), Math.sign(higher));
  });
});

test('invariant 5: one event per transition, none for a repeat', () => {
  forAll([receiptsArb], (receipts) => {
    const { events, message } = tell(receipts);
    assert.equal(new Set(events).size, events.length, events.join());
    assert.equal(events.includes('message.sent'), message.receipts.sent !== null);
    for (const receipt of receipts) assert.equal(decideReceipt(message, receipt), null);
  });
});

test('receipts: sent, delivered and read are shown in this order, each filled by what comes after it', () => {
  forAll([receiptsArb], (receipts) => {
    const { sent, delivered, read } = tell(receipts).message.receipts;
    if (read !== null) assert.ok(delivered !== null && delivered <= read);
    if (delivered !== null) assert.ok(sent !== null && sent <= delivered);
  });
});
