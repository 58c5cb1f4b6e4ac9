import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Accepted,
  type ConversationState,
  decideSend,
} from '../../../../actors/domain/conversation.ts';
import { decideEcho, decideInbound } from '../../../../actors/domain/network-message.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
} from '../../../support/actors/domain/message-fixture.ts';

const RUNS = { numRuns: 3_000 };

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
    const draft = { text, kind: 'text', media: null, authorLabel: 'ERP', origin: 'api' } as const;
    return decideSend(state, draft, now);
  }
  const facts = {
    messageId: 'msg_1',
    eventId: 'evt_1',
    externalId: 'w1',
    kind: 'text',
    text,
    replyToId: null,
    networkId: CONTACT.phone,
    at: networkAt,
    contact: CONTACT,
  } as const;
  if (does === 'inbound') return decideInbound(state, facts, now);
  return decideEcho(state, { ...facts, pauseMs: 1_800_000, authorLabel: 'A' }, now);
}

test('design, Committing: each decision appends one entry, and entries never go back in time', () => {
  fc.assert(
    fc.property(stepsArb, (steps) => {
      steps.reduce((state, step) => {
        const before = structuredClone(state);
        const accepted = decide(state, step);
        assert.deepEqual(state, before, 'the state decided on is not touched');
        assert.equal(accepted.state.seq, state.seq + 1);
        assert.ok(accepted.state.at >= state.at);
        assert.ok(accepted.state.lastMessageAt >= state.lastMessageAt || state.seq === 0);
        return accepted.state;
      }, conversationFixture());
    }),
    RUNS,
  );
});

test('invariant 2: queued messages are in order of time as they are in order of seq', () => {
  fc.assert(
    fc.property(stepsArb, (steps) => {
      let state = conversationFixture();
      let last = 0;
      for (const step of steps) {
        const accepted = decide(state, step);
        state = accepted.state;
        if (!accepted.queued) continue;
        assert.ok(accepted.message.createdAt >= last);
        last = accepted.message.createdAt;
      }
    }),
    RUNS,
  );
});

test('decisions, Behaviour: unread counts what the contact wrote since the last outbound', () => {
  fc.assert(
    fc.property(stepsArb, (steps) => {
      const end = steps.reduce((state, step) => decide(state, step).state, conversationFixture());
      const lastOut = steps.findLastIndex(({ does }) => does !== 'inbound');
      assert.equal(end.unread, steps.length - 1 - lastOut);
      assert.equal(end.messages, steps.length);
    }),
    RUNS,
  );
});

test('section 6: each message that the network brings is told once; a send is told by its receipt', () => {
  fc.assert(
    fc.property(stepsArb, (steps) => {
      let state = conversationFixture();
      for (const step of steps) {
        const accepted = decide(state, step);
        state = accepted.state;
        assert.equal(accepted.outbox.length, step.does === 'send' ? 0 : 1);
      }
    }),
    RUNS,
  );
});
