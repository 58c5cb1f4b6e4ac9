/** The 24-hour window: what opens it, to the second, and its facts through joins (C2.3). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  appendNote,
  type ConversationState,
  decideSend,
  type OutboundDraft,
} from '../../../../../actors/domain/conversation/conversation.ts';
import {
  decideAbsorption,
  decideReaddress,
} from '../../../../../actors/domain/conversation/join.ts';
import { decideCall } from '../../../../../actors/domain/conversation/network-call.ts';
import {
  decideEcho,
  decideInbound,
  type InboundFacts,
} from '../../../../../actors/domain/conversation/network-message.ts';
import {
  judgeWindow,
  laterWindow,
  leaveNumber,
  leaveUndecided,
  openWindow,
  type WindowFacts,
  windowExpiresAt,
  windowOf,
} from '../../../../../actors/domain/conversation/window.ts';
import { WINDOW_MS } from '../../../../../shared/limits.ts';
import type { MessageKind } from '../../../../../shared/vocabulary.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
} from '../../../../support/actors/domain/message-fixture.ts';

/** The network's time, a whole second, some minutes before ours. */
const AT = NOW - 300_000;

function inbound(state: ConversationState, over: Partial<InboundFacts> = {}, now = NOW) {
  const facts: InboundFacts = {
    ...{ messageId: 'msg_1', eventId: 'msg_1.inbound', externalId: 'wamid.1' },
    ...{ kind: 'text' as MessageKind, text: 'oi', networkId: '5511', at: AT },
    ...{ contact: CONTACT, replyToId: null },
    ...over,
  };
  return decideInbound(state, facts, now).state;
}

const BUTTON = { type: 'button', id: 'a', title: 'Sim' } as const;
const DRAFT: OutboundDraft = {
  ...{ text: 'oi', kind: 'text', media: null, authorLabel: 'ERP', origin: 'api' },
};
const NEVER = conversationFixture();

type Row = readonly [what: string, after: (state: ConversationState) => ConversationState];

const OPENS: readonly Row[] = [
  ['a text of the contact', (state) => inbound(state)],
  ['a file of the contact', (state) => inbound(state, { kind: 'image', text: null })],
  ['a place that the contact shares', (state) => inbound(state, { kind: 'location' })],
  ['a message of an unknown kind', (state) => inbound(state, { kind: 'unsupported', text: null })],
  [
    'a choice of a button',
    (state) => inbound(state, { content: { type: 'answer', answer: BUTTON } }),
  ],
  ['a message that is found late', (state) => inbound(state, {}, AT + WINDOW_MS / 2)],
  [
    'a call of the contact',
    (state) => decideCall(state, { at: AT, networkId: '5511' }, NOW)?.state ?? state,
  ],
];

const LEAVES_CLOSED: readonly Row[] = [
  [
    'a message typed on the phone',
    (state) => {
      const facts = { messageId: 'msg_e', eventId: 'msg_e.echo', externalId: 'wamid.e' };
      const typed = { kind: 'text', text: 'oi', networkId: '5511', contact: CONTACT } as const;
      const own = { pauseMs: 0, authorLabel: 'Loja', at: AT, replyToId: null };
      return decideEcho(state, { ...facts, ...typed, ...own }, NOW).state;
    },
  ],
  ['a text that is sent', (state) => decideSend(state, DRAFT, NOW).state],
  [
    'a template that is sent',
    (state) => {
      const template = { name: 'a', language: 'pt_BR', body: [], buttons: [] };
      const content = { type: 'template', template } as const;
      return decideSend(state, { ...DRAFT, content }, NOW).state;
    },
  ],
  [
    'a note of the team',
    (state) => {
      const author = { kind: 'member', label: 'Ana' } as const;
      return appendNote(state, { text: 'x', author, origin: 'panel' }, NOW).state;
    },
  ],
];

describe('the 24-hour window', () => {
  for (const [what, after] of OPENS) {
    test(`is opened by ${what}`, () => {
      const state = after(NEVER);
      assert.equal(windowExpiresAt(state), AT + WINDOW_MS);
      assert.equal(windowOf(state, AT + WINDOW_MS - 1), 'open');
      assert.equal(windowOf(state, AT + WINDOW_MS), 'closed');
    });
  }

  for (const [what, after] of LEAVES_CLOSED) {
    test(`is not opened by ${what}`, () => {
      const state = after(NEVER);
      assert.equal(windowExpiresAt(state), null);
      assert.equal(windowOf(state, NOW), 'closed');
      const open = after(inbound(NEVER, { at: AT - 60_000 }));
      assert.equal(windowExpiresAt(open), AT - 60_000 + WINDOW_MS, 'and its end stays');
    });
  }

  test('was never open without a message', () => {
    assert.equal(windowExpiresAt(NEVER), null);
    assert.equal(windowOf(NEVER, NOW), 'closed');
  });

  test('rests on the network’s time, to the second, and not on our clock', () => {
    const state = inbound(NEVER, { at: NOW - 999 }, NOW);
    assert.equal(state.lastInboundAt, NOW, 'our clock is finer for the history');
    assert.equal(windowExpiresAt(state), NOW - 1_000 + WINDOW_MS);
    assert.equal(windowOf(state, NOW - 1_001 + WINDOW_MS), 'open');
    assert.equal(windowOf(state, NOW - 1_000 + WINDOW_MS), 'closed');
  });

  test('is not shortened by a message that arrives out of order', () => {
    const state = inbound(inbound(NEVER), { messageId: 'msg_0', at: AT - 3_600_000 });
    assert.equal(windowExpiresAt(state), AT + WINDOW_MS);
  });

  test('is for the network to judge after a reaction: undecided, and its end stays', () => {
    const reacted = inbound(NEVER, { kind: 'reaction', text: '👍' });
    assert.equal(windowExpiresAt(reacted), null);
    assert.equal(windowOf(reacted, AT + WINDOW_MS - 1), 'undecided');
    assert.equal(windowOf(reacted, AT + WINDOW_MS), 'closed');
    const earlier = inbound(NEVER, { at: AT - WINDOW_MS / 2 });
    const both = inbound(earlier, { messageId: 'msg_2', kind: 'reaction', text: '👍' });
    assert.equal(windowExpiresAt(both), AT + WINDOW_MS / 2);
    assert.equal(windowOf(both, AT), 'open');
    assert.equal(windowOf(both, AT + WINDOW_MS / 2), 'undecided');
  });

  test('of a state that an earlier version wrote begins with the last message it knows', () => {
    const old = conversationFixture({ lastInboundAt: AT + 700 });
    assert.equal(windowExpiresAt(old), AT + WINDOW_MS);
    const reacted = inbound(old, { kind: 'reaction', text: '👍', at: AT + 60_000 });
    assert.equal(windowExpiresAt(reacted), AT + WINDOW_MS, 'a reaction does not extend it');
  });

  test('of two conversations that are joined is the later one', () => {
    const older = inbound(NEVER, { at: AT - 7_200_000 });
    const younger = inbound(conversationFixture({ id: 'cnv_2' }));
    const joined = decideAbsorption(older, younger, NOW)?.state ?? assert.fail();
    assert.equal(windowExpiresAt(joined), AT + WINDOW_MS);
    const other = decideAbsorption(younger, older, NOW)?.state ?? assert.fail();
    assert.equal(windowExpiresAt(other), AT + WINDOW_MS);
  });

  test('of a number that the contact has left says nothing of the new one', () => {
    const contact = { ...CONTACT, phone: '5511900000000' };
    const moved = { numberLeft: true, now: NOW };
    const state = decideReaddress(inbound(NEVER), contact, moved)?.state ?? assert.fail();
    assert.equal(windowExpiresAt(state), null);
    assert.equal(windowOf(state, NOW), 'undecided');
    const renamed = { ...CONTACT, name: 'Maria S.' };
    const same = decideReaddress(inbound(NEVER), renamed, { ...moved, numberLeft: false });
    assert.equal(windowExpiresAt(same?.state ?? assert.fail()), AT + WINDOW_MS);
  });
});

test('a message is refused or replaced where the 24-hour window is closed, and as the call said', () => {
  const open = inbound(NEVER);
  const reacted = inbound(NEVER, { kind: 'reaction', text: '👍' });
  const rows = [
    [open, 'send', true, 'send'],
    [open, 'refuse', false, 'send'],
    [reacted, 'refuse', true, 'send'],
    [NEVER, 'send', false, 'send'],
    [NEVER, 'refuse', false, 'refuse'],
    [NEVER, 'send', true, 'replace'],
    [NEVER, 'refuse', true, 'replace'],
  ] as const;
  for (const [state, outsideWindow, hasFallback, verdict] of rows) {
    assert.equal(judgeWindow(state, { outsideWindow, hasFallback }, NOW), verdict);
  }
});

const UNDECIDED: WindowFacts = { windowFrom: 0, undecidedFrom: NOW };
const LATER: WindowFacts = { windowFrom: 0, undecidedFrom: NOW + 1_000 };

describe('an event of the contact', () => {
  test('opens the window at its second', () => {
    assert.deepEqual(openWindow({}, NOW + 999), { windowFrom: NOW });
    assert.deepEqual(openWindow({ windowFrom: NOW }, NOW - 1), { windowFrom: NOW });
  });

  test('that the network judges keeps what is known, and the latest second that is not', () => {
    const rows: readonly (readonly [WindowFacts, WindowFacts])[] = [
      [{}, UNDECIDED],
      [{ lastInboundAt: NOW - 1 }, { windowFrom: NOW - 1_000, undecidedFrom: NOW }],
      [
        { windowFrom: NOW - 9_000, undecidedFrom: NOW - 5_000 },
        { windowFrom: NOW - 9_000, undecidedFrom: NOW },
      ],
      [LATER, LATER],
    ];
    for (const [before, after] of rows) assert.deepEqual(leaveUndecided(before, NOW + 999), after);
  });
});

test('the 24-hour window of another number is known to the network alone, for as long as the old window is open', () => {
  const rows: readonly (readonly [WindowFacts, WindowFacts])[] = [
    [{}, {}],
    [{ windowFrom: 0 }, {}],
    [{ windowFrom: NOW }, UNDECIDED],
    [{ lastInboundAt: NOW + 500 }, UNDECIDED],
    [{ windowFrom: NOW, undecidedFrom: NOW - 1_000 }, UNDECIDED],
    [{ windowFrom: NOW, undecidedFrom: NOW + 1_000 }, LATER],
    [UNDECIDED, UNDECIDED],
  ];
  for (const [before, after] of rows) assert.deepEqual(leaveNumber(before), after);
});

/** Two conversations in either order, and the window of both as one. */
const JOINS: readonly (readonly [WindowFacts, WindowFacts, WindowFacts])[] = [
  [{}, {}, {}],
  [{ windowFrom: 0 }, {}, { windowFrom: 0 }],
  [{ windowFrom: 0 }, { windowFrom: 0 }, { windowFrom: 0 }],
  [{ windowFrom: NOW }, {}, { windowFrom: NOW }],
  [{ windowFrom: NOW }, { windowFrom: NOW - 1_000 }, { windowFrom: NOW }],
  [{ lastInboundAt: NOW + 500 }, {}, { windowFrom: NOW }],
  [{ lastInboundAt: NOW + 500 }, { windowFrom: NOW - 1_000 }, { windowFrom: NOW }],
  [{ windowFrom: 0 }, { lastInboundAt: NOW }, { windowFrom: NOW }],
  [UNDECIDED, {}, UNDECIDED],
  [
    UNDECIDED,
    { windowFrom: NOW - 2_000, undecidedFrom: NOW - 1_000 },
    { windowFrom: NOW - 2_000, undecidedFrom: NOW },
  ],
];

test('of two joined conversations the later facts of the 24-hour window stay, and none are made up', () => {
  for (const [one, other, both] of JOINS) {
    assert.deepEqual(laterWindow(one, other), both);
    assert.deepEqual(laterWindow(other, one), both);
  }
});
