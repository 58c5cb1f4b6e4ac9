/** Content of outbound messages: text, references, and the template in their place (D293). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shownContent } from '../../../../../actors/domain/conversation/conversation.ts';
import {
  decideFallback,
  isEndedByOptOut,
  isReplaceable,
  NO_FILE,
  referenceProblem,
  structuredDraft,
  templateDraft,
} from '../../../../../actors/domain/conversation/outbound-content.ts';
import { SENTENCES } from '../../../../../shared/api/sentences.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';

const TEMPLATE = { name: 'pedido', language: 'pt_BR', body: [], buttons: [] };
const FALLBACK = { template: TEMPLATE, text: 'Seu pedido', kind: 'text', media: null } as const;
const REFUSED = outboundFixture({
  status: 'failed',
  error: { code: '131047', message: 'Passaram mais de 24 horas.' },
  fallback: FALLBACK,
});

describe('the text that a person reads', () => {
  test('of buttons is their header, text and footer', () => {
    const buttons = [{ id: 'a', title: 'Sim' }];
    const interactive = { type: 'buttons', text: 'Vem?', footer: 'Até 18h', buttons } as const;
    const draft = structuredDraft({ type: 'interactive', interactive });
    assert.deepEqual([draft.kind, draft.text], ['text', 'Vem?\n\nAté 18h']);
    const headed = { ...interactive, header: 'Entrega' };
    const { text } = structuredDraft({ type: 'interactive', interactive: headed });
    assert.equal(text, 'Entrega\n\nVem?\n\nAté 18h');
  });

  test('of a place is its name, address and point', () => {
    const place = { latitude: -23.5, longitude: -46.25 };
    const textOf = (location: typeof place & { name?: string; address?: string }) =>
      structuredDraft({ type: 'location', location }).text;
    assert.equal(textOf(place), '-23.5, -46.25');
    assert.equal(textOf({ ...place, name: 'Loja' }), 'Loja (-23.5, -46.25)');
    const full = { ...place, name: 'Loja', address: 'Rua A, 1' };
    assert.equal(textOf(full), 'Loja, Rua A, 1 (-23.5, -46.25)');
  });

  test('of cards is a line each', () => {
    const contacts = [
      { name: 'Ana', phones: ['+55 11 9', '+55 11 8'] },
      { name: 'Bia', phones: ['+55 21 7'] },
    ];
    const draft = structuredDraft({ type: 'contacts', contacts });
    assert.deepEqual([draft.kind, draft.text], ['contact', 'Ana +55 11 9 +55 11 8\nBia +55 21 7']);
  });

  test('of a reaction is its emoji; it names its target as an inbound one does', () => {
    const reaction = { messageId: 'msg_9', emoji: '👍' };
    const draft = structuredDraft({ type: 'reaction', reaction });
    assert.deepEqual([draft.kind, draft.text, draft.replyToId], ['reaction', '👍', 'msg_9']);
    assert.deepEqual(shownContent(draft), { reaction });
  });
});

test('a message is quoted while it is on its way, and reacted to once the network has it', () => {
  const { quotedUnknown, notOnNetwork } = SENTENCES;
  const rows = [
    [undefined, quotedUnknown, quotedUnknown],
    [outboundFixture({ direction: 'note' }), quotedUnknown, quotedUnknown],
    [outboundFixture({ kind: 'reaction', externalId: 'w' }), quotedUnknown, quotedUnknown],
    [outboundFixture({ status: 'queued' }), null, notOnNetwork],
    [outboundFixture({ status: 'sending' }), null, notOnNetwork],
    [outboundFixture({ status: 'scheduled' }), notOnNetwork, notOnNetwork],
    [outboundFixture({ status: 'failed' }), notOnNetwork, notOnNetwork],
    [outboundFixture({ status: 'failed', externalId: 'w' }), null, null],
    [outboundFixture({ status: 'read', externalId: 'w' }), null, null],
    [outboundFixture({ direction: 'in', status: 'received', externalId: 'w' }), null, null],
  ] as const;
  for (const [message, quoted, reactedTo] of rows) {
    const problems = [false, true].map((known) => referenceProblem(message, { known }));
    assert.deepEqual(problems, [quoted, reactedTo], message?.status);
  }
});

describe('the template in place of a refused message', () => {
  test('is sent for a refusal of the window alone', () => {
    assert.ok(isReplaceable(REFUSED));
    assert.ok(!isReplaceable({ ...REFUSED, status: 'sent' }));
    assert.ok(!isReplaceable({ ...REFUSED, error: { code: '131026', message: 'Não.' } }));
    assert.ok(!isReplaceable(outboundFixture({ status: 'failed' })));
  });

  test('follows at the end of the log, by the same author, and marks nothing as read', () => {
    const state = conversationFixture({ unread: 2, queuedSeq: 4, seq: 7 });
    const author = { kind: 'member', label: 'Ana' } as const;
    const refused = { id: 'msg_1', message: { ...REFUSED, author, origin: 'panel' as const } };
    const decided = decideFallback(state, refused, NOW) ?? assert.fail();
    const { message, state: after, queued, previousSeq } = decided;
    assert.deepEqual([queued, previousSeq, after.queuedSeq, after.unread], [true, 4, 8, 2]);
    assert.deepEqual(message.author, author);
    assert.deepEqual([message.origin, message.text], ['panel', 'Seu pedido']);
    assert.deepEqual(message.content, { type: 'template', template: TEMPLATE });
    assert.equal(message.replacesId, 'msg_1');
    assert.equal(message.fallback, undefined, 'nothing takes its place in turn');
    assert.equal(decideFallback(state, { id: 'msg_2', message: outboundFixture() }, NOW), null);
  });

  test('ends with an opt-out for a flow, a scheduled and a bulk one, not a caller’s own', () => {
    assert.ok(isEndedByOptOut(outboundFixture({ origin: 'flow' })));
    assert.ok(isEndedByOptOut(outboundFixture({ bulk: { expiresAt: NOW } })));
    assert.ok(isEndedByOptOut(outboundFixture({ schedule: { at: NOW, ifLate: 'send' } })));
    assert.ok(!isEndedByOptOut(outboundFixture()));
  });
});

test('a template in place of a scheduled message has its schedule, and no other one has any', () => {
  const shownFor = (message: typeof REFUSED) =>
    (decideFallback(conversationFixture(), { id: 'msg_1', message }, NOW) ?? assert.fail()).message;
  const schedule = { at: NOW - 60_000, ifLate: 'expire' } as const;
  assert.deepEqual(shownFor({ ...REFUSED, schedule }).schedule, schedule);
  assert.ok(!('schedule' in shownFor(REFUSED)));
});

test('a template message has the text that a person reads, and its header’s file', () => {
  const content = { type: 'template', template: TEMPLATE } as const;
  const filled = { message: TEMPLATE, text: 'Seu pedido' };
  const text = { kind: 'text', media: null, text: 'Seu pedido', content };
  assert.deepEqual(templateDraft(filled, NO_FILE), text);
  const image = { kind: 'image', media: null } as const;
  assert.deepEqual(templateDraft(filled, image), { ...text, kind: 'image' });
});
