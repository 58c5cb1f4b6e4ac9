/**
 * Settlements under two owners with stale states: any order of due messages, cancels, sends,
 * crashes and repeats. The log refuses a taken `seq` and a known id, as the store does.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EntryDocument } from '../../../../actors/conversation/api.ts';
import { entryDocument, settledEntry } from '../../../../actors/conversation/documents.ts';
import {
  type Appended,
  type ConversationState,
  decideSend,
  type OutboundDraft,
} from '../../../../actors/domain/conversation.ts';
import {
  decideCancel,
  decideDue,
  decideSchedule,
  judgeDue,
} from '../../../../actors/domain/schedule.ts';
import { settlementId } from '../../../../actors/domain/settlement.ts';
import { conversationFixture, NOW } from '../../../support/actors/domain/message-fixture.ts';

const MESSAGES = 4;
const OWNERS = 2;

type Step =
  | {
      readonly does: 'settle' | 'cancel' | 'apply';
      readonly owner: number;
      readonly message: number;
    }
  | { readonly does: 'send' | 'reload'; readonly owner: number }
  | { readonly does: 'wait'; readonly ms: number };

const owner = fc.nat({ max: OWNERS - 1 });
const message = fc.nat({ max: MESSAGES - 1 });
const stepArb: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constantFrom('settle', 'cancel', 'apply'), owner, message }),
  fc.record({ does: fc.constantFrom('send', 'reload'), owner }),
  fc.record({ does: fc.constant('wait' as const), ms: fc.nat({ max: 4_000 }) }),
);

const DRAFT: OutboundDraft = {
  ...{ text: 'x', kind: 'text', media: null, authorLabel: 'ERP', origin: 'api' },
};

class World {
  now = NOW;
  readonly log: EntryDocument[] = [];
  readonly entries = new Map<string, EntryDocument>();
  readonly states: ConversationState[] = [];
  #sends = 0;

  constructor() {
    this.states = Array.from({ length: OWNERS }, () => conversationFixture());
    for (let index = 0; index < MESSAGES; index++) {
      const state = this.#last();
      const schedule = { at: NOW + 1_000 * (index + 1), ifLate: 'send' } as const;
      const sent = decideSend(state, DRAFT, NOW);
      this.append(0, `msg_${index}`, decideSchedule(state, sent, { schedule }));
      this.run({ does: 'reload', owner: 0 });
    }
    this.run({ does: 'reload', owner: 1 });
  }

  /** True where it was appended; a stale owner loads the log, as its next turn would. */
  append(by: number, id: string, decided: Appended): boolean {
    const { seq } = decided.state;
    const isStale = this.log.some((entry) => entry.seq === seq);
    if (isStale || this.entries.has(id)) {
      this.states[by] = this.#last();
      return false;
    }
    const entry = entryDocument(id, decided);
    this.log.push(entry);
    this.entries.set(id, entry);
    this.states[by] = decided.state;
    return true;
  }

  run(step: Step): void {
    if (step.does === 'wait') this.now += step.ms;
    else if (step.does === 'reload') this.states[step.owner] = this.#last();
    else if (step.does === 'send') {
      const sent = decideSend(this.#state(step.owner), DRAFT, this.now);
      this.append(step.owner, `now_${this.#sends++}`, sent);
    } else if ('message' in step) this.#settle(step);
  }

  #settle({ does, owner: by, message: index }: Extract<Step, { message: number }>): void {
    const id = `msg_${index}`;
    const entry = this.#entry(id);
    if (does === 'apply') return this.#apply(entry);
    const scheduled = { id, seq: entry.seq, message: entry.message ?? assert.fail() };
    const state = this.#state(by);
    const facts = { now: this.now, optedOut: false, window: {}, templateFault: null };
    const verdict = judgeDue(scheduled.message, facts);
    const decided =
      does === 'cancel'
        ? decideCancel(state, scheduled, this.now)
        : verdict && decideDue(state, scheduled, { verdict, to: '5511', now: this.now });
    if (decided) this.append(by, settlementId(id), decided);
  }

  /** As the filter of the write has it: only a message that is still scheduled changes. */
  #apply(entry: EntryDocument): void {
    const settlement = this.entries.get(settlementId(entry._id));
    const { message } = entry;
    if (!settlement?.settles || message?.status !== 'scheduled') return;
    const { seq, settles } = settlement;
    this.entries.set(entry._id, settledEntry({ ...entry, message }, { seq, settles }));
  }

  #entry(id: string): EntryDocument {
    return this.entries.get(id) ?? assert.fail(id);
  }

  #state(by: number): ConversationState {
    return this.states[by] ?? assert.fail();
  }

  #last(): ConversationState {
    return this.log.at(-1)?.after ?? conversationFixture();
  }

  /** Messages by their place in the sending order, as the channel reads them. */
  order(): readonly { readonly id: string; readonly seq: number; readonly previousSeq: number }[] {
    return [...this.entries.values()]
      .flatMap(({ _id: id, seq, send }) =>
        send ? [{ id, seq: send.seq ?? seq, previousSeq: send.previousSeq }] : [],
      )
      .sort((one, other) => one.seq - other.seq);
  }
}

test('each message is settled once at most, never early, and sent in the order of settlements', () => {
  fc.assert(
    fc.property(fc.array(stepArb, { maxLength: 40, size: 'max' }), (steps) => {
      const world = new World();
      for (const step of steps) world.run(step);
      for (let index = 0; index < MESSAGES; index++) {
        world.run({ does: 'apply', owner: 0, message: index });
      }
      const settlements = world.log.flatMap(({ seq, settles }) =>
        settles ? [{ seq, ...settles }] : [],
      );
      const settled = settlements.map(({ messageId }) => messageId);
      assert.equal(new Set(settled).size, settled.length);
      for (const { messageId, outcome, at } of settlements) {
        const { schedule, status } = world.entries.get(messageId)?.message ?? assert.fail();
        if (outcome === 'released') assert.ok(at >= (schedule?.at ?? Infinity), 'never early');
        assert.equal(status, outcome === 'released' ? 'queued' : 'cancelled');
      }
      const order = world.order();
      const places = new Map(settlements.map(({ messageId, seq }) => [messageId, seq]));
      order.forEach(({ id, seq, previousSeq }, index) => {
        assert.equal(previousSeq, order[index - 1]?.seq ?? 0, 'each follows the one before');
        if (id.startsWith('msg_')) assert.equal(seq, places.get(id));
      });
      const waiting = [...world.entries.values()].filter(({ due }) => due);
      assert.equal(waiting.length, MESSAGES - settled.length, 'the rest is still on the agenda');
    }),
    { numRuns: 2_000 },
  );
});
