import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type ConversationState,
  decideSend,
} from '../../../../../actors/domain/conversation/conversation.ts';
import {
  decideInbound,
  type InboundFacts,
} from '../../../../../actors/domain/conversation/network-message.ts';
import {
  QUICK_AFTER_MS,
  QUICK_TURNS_MAX,
  QUICK_TURNS_WITHIN_MS,
  quickTurnsNote,
  turnsAfterFlow,
} from '../../../../../actors/domain/conversation/quick-turns.ts';
import { MEMBER_ANSWER_PAUSE_MS } from '../../../../../shared/limits.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
} from '../../../../support/actors/domain/message-fixture.ts';
import { forAll } from '../../../../support/property.ts';

/** A conversation and a clock; the contact and a flow write in it. */
class Talk {
  state: ConversationState = conversationFixture();
  now = NOW;

  /** The contact writes after so many milliseconds. */
  hears(afterMs: number): void {
    this.now += afterMs;
    const facts: InboundFacts = {
      ...{ messageId: 'msg_1', eventId: 'evt_1', externalId: 'w1', replyToId: null },
      ...{ kind: 'text', text: 'Oi', networkId: CONTACT.phone, at: this.now, contact: CONTACT },
    };
    this.state = decideInbound(this.state, facts, this.now).state;
  }

  /** The flow writes; true where automation pauses with it. */
  says(afterMs = 0): boolean {
    this.now += afterMs;
    const said = { kind: 'text', text: 'Olá', media: null, authorLabel: 'Menu' } as const;
    const sent = decideSend(this.state, { ...said, origin: 'flow' }, this.now);
    const { quickTurns: _, ...before } = sent.state;
    const { turns, pausedUntil } = turnsAfterFlow(sent.state, this.now);
    const paused = pausedUntil === null ? {} : { automationPausedUntil: pausedUntil };
    this.state = { ...before, ...turns, ...paused };
    return pausedUntil !== null;
  }

  /** So many turns; the number of the one that pauses, or null. */
  turns(count: number, { heardMs = 0, saidMs = 0 } = {}): number | null {
    for (let turn = 1; turn <= count; turn++) {
      this.hears(heardMs);
      if (this.says(saidMs)) return turn;
    }
    return null;
  }
}

function begun(): Talk {
  const talk = new Talk();
  talk.says();
  return talk;
}

describe('D411: ten quick turns within a minute', () => {
  it('pause automation with the tenth, for 30 minutes, and leave nothing behind', () => {
    const talk = begun();
    assert.equal(talk.turns(QUICK_TURNS_MAX + 1, { heardMs: 100, saidMs: 5 }), QUICK_TURNS_MAX);
    assert.equal(talk.state.automationPausedUntil, talk.now + MEMBER_ANSWER_PAUSE_MS);
    assert.equal('quickTurns' in talk.state, false);
  });

  it('never shorten a pause', () => {
    const talk = begun();
    talk.turns(QUICK_TURNS_MAX - 1);
    const until = NOW + 10 * MEMBER_ANSWER_PAUSE_MS;
    talk.state = { ...talk.state, automationPausedUntil: until };
    assert.equal(talk.turns(1), 1);
    assert.equal(talk.state.automationPausedUntil, until);
  });

  it('count 2 s after our message still, and no millisecond more', () => {
    assert.equal(begun().turns(12, { heardMs: QUICK_AFTER_MS }), QUICK_TURNS_MAX);
    const slow = begun();
    assert.equal(slow.turns(50, { heardMs: QUICK_AFTER_MS + 1 }), null);
    assert.equal('quickTurns' in slow.state, false);
  });

  it('are within 60 s from the first to the last', () => {
    const saidMs = QUICK_TURNS_WITHIN_MS / (QUICK_TURNS_MAX - 1);
    assert.equal(begun().turns(50, { saidMs: Math.floor(saidMs) }), QUICK_TURNS_MAX);
    assert.equal(begun().turns(50, { saidMs: Math.ceil(saidMs) }), null);
  });

  it('need an answer of the flow each: a contact in a hurry makes one', () => {
    const talk = begun();
    for (let times = 0; times < 50; times++) talk.hears(10);
    assert.equal(talk.says(), false);
    assert.equal(talk.state.quickTurns?.ends.length, 1);
    assert.equal(talk.says(), false);
    assert.equal(talk.state.quickTurns?.ends.length, 1, 'a second text is no second answer');
  });

  it('begin with our message: a contact that only writes has none', () => {
    const talk = new Talk();
    talk.hears(0);
    assert.equal('quickTurns' in talk.state, false);
    talk.says();
    assert.equal('quickTurns' in talk.state, false);
  });

  it('pause exactly where ten of them end within a minute, for any talk', () => {
    const waits = fc.record({ heardMs: fc.nat(4_000), saidMs: fc.nat(9_000) });
    forAll([fc.array(waits, { maxLength: 40 })], (all) => {
      const talk = begun();
      let ends: number[] = [];
      for (const { heardMs, saidMs } of all) {
        const quick = heardMs <= QUICK_AFTER_MS;
        talk.hears(heardMs);
        const paused = talk.says(saidMs);
        if (quick) ends.push(talk.now);
        const late = ends.filter((end) => talk.now - end < QUICK_TURNS_WITHIN_MS);
        const expected = quick && late.length >= QUICK_TURNS_MAX;
        assert.equal(paused, expected);
        if (paused) ends = [];
      }
    });
  });
});

it('D411: the note names the flow and the reason', () => {
  const text = quickTurnsNote('Menu');
  assert.match(text, /^Automação pausada por 30 minutos: o fluxo "Menu" e o contato/);
});
