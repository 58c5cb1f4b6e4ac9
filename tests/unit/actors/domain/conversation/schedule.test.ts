/** Scheduled messages: their acceptance, verdict and settlement (D293, D294). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { entryDocument, settledEntry } from '../../../../../actors/conversation/log/documents.ts';
import {
  type Appended,
  type ConversationState,
  decideSend,
  type OutboundDraft,
} from '../../../../../actors/domain/conversation/conversation.ts';
import {
  type DueFacts,
  decideCancel,
  decideDue,
  decideSchedule,
  dueForm,
  judgeDue,
  refuseTime,
  settledMessage,
} from '../../../../../actors/domain/conversation/schedule.ts';
import { settlementId } from '../../../../../actors/domain/conversation/settlement.ts';
import type { EntryDocument } from '../../../../../actors/model/conversation.ts';
import { WINDOW_MS } from '../../../../../shared/limits.ts';
import type { StoredMessage } from '../../../../../shared/message.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';
import { withRuns } from '../../../../support/property.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const AT = NOW + HOUR_MS;
const TEMPLATE = { name: 'oi', language: 'pt_BR', body: [], buttons: [] };
const FALLBACK = { template: TEMPLATE, text: 'Oi!', kind: 'image', media: null } as const;
const OPEN = { windowFrom: AT - WINDOW_MS + 1_000 };
const CLOSED = { windowFrom: AT - WINDOW_MS };
const FREE = { optedOut: false, noMarketing: false, templateFault: null } as const;
const RELEASED = { outcome: 'released' } as const;

function scheduled(over: Partial<StoredMessage> = {}): StoredMessage {
  const schedule = { at: AT, ifLate: 'send' } as const;
  return outboundFixture({ status: 'scheduled', revision: 0, schedule, ...over });
}

const content = { type: 'template', template: TEMPLATE } as const;
const ofTemplate = scheduled({ kind: 'document', outsideWindow: 'refuse', content });

function factsAt(now: number, over: Partial<DueFacts> = {}): DueFacts {
  return { now, ...FREE, window: OPEN, ...over };
}

function errorOf(message: StoredMessage, facts: DueFacts) {
  const verdict = judgeDue(message, facts) ?? assert.fail('it is due');
  return verdict.outcome === 'failed' ? verdict.error : null;
}

test('a template of marketing fails by its own code where the contact wants none, or nothing', () => {
  for (const optedOut of [false, true]) {
    const facts = factsAt(AT, { noMarketing: true, optedOut });
    assert.equal(errorOf(ofTemplate, facts)?.code, 'marketing_opt_out');
  }
  assert.equal(errorOf(ofTemplate, factsAt(AT)), null);
});

test('the template that a due message is sent as is its own, or its fallback outside of the window', () => {
  const replaced = scheduled({ outsideWindow: 'refuse', fallback: FALLBACK });
  const formOf = (message: StoredMessage, window: DueFacts['window']) => {
    const { template, kind } = dueForm(message, { window, now: AT });
    return [template, kind];
  };
  assert.deepEqual(formOf(ofTemplate, OPEN), [TEMPLATE, 'document']);
  assert.deepEqual(formOf(ofTemplate, CLOSED), [TEMPLATE, 'document']);
  assert.deepEqual(formOf(replaced, OPEN), [null, 'text']);
  assert.deepEqual(formOf(replaced, CLOSED), [TEMPLATE, 'image']);
  assert.deepEqual(formOf(scheduled(), CLOSED), [null, 'text']);
});

test('a scheduled message after its settlement has a later revision than any change of its old status', () => {
  const settled = { messageId: 'msg_1', at: AT } as const;
  const released = { ...settled, outcome: 'released', previousSeq: 0, to: '5511' } as const;
  const failed = { ...settled, outcome: 'failed', error: { code: 'late', message: 'x' } } as const;
  const rows = [
    [released, 0, 'queued', 1_000],
    [{ ...settled, outcome: 'cancelled' }, 3, 'cancelled', 7_000],
    [failed, 3, 'failed', 4_000],
    [released, 1_000, 'queued', 1_001],
    [released, 8_500, 'queued', 8_501],
  ] as const;
  for (const [settles, before, status, revision] of rows) {
    const after = settledMessage(scheduled({ revision: before }), settles);
    assert.deepEqual([after.status, after.revision], [status, revision]);
  }
});

const draft: OutboundDraft = {
  ...{ text: 'Olá', kind: 'text', media: null, authorLabel: 'ERP', origin: 'api' },
};

describe('acceptance of a scheduled message', () => {
  test('from 5 s past to 90 days ahead', () => {
    const isFine = (inMs: number) => refuseTime({ at: NOW + inMs }, NOW) === null;
    const fine = [-5_001, -5_000, 0, 90 * DAY_MS, 90 * DAY_MS + 1].map(isFine);
    assert.deepEqual(fine, [false, true, true, true, false]);
    assert.deepEqual(refuseTime({ at: NOW - 6_000 }, NOW)?.issues?.[0]?.path, 'sendAt');
  });

  test('a held message counts, is the newest of the history, and changes nothing else', () => {
    const before = conversationFixture({ unread: 3, queuedSeq: 2, seq: 4, messages: 4 });
    const sent = decideSend(before, draft, NOW + 1);
    const schedule = { at: NOW + 2, ifLate: 'expire' } as const;
    const held = decideSchedule(before, sent, { schedule, outsideWindow: 'refuse' });
    const after = { seq: 5, at: NOW + 1, messages: 5, historyAt: NOW + 1 };
    assert.deepEqual(held.state, { ...before, ...after });
    const { status, outsideWindow, createdAt } = held.message;
    assert.deepEqual([status, outsideWindow, createdAt], ['scheduled', 'refuse', NOW + 1]);
    assert.deepEqual([held.queued, held.previousSeq], [false, undefined]);
  });
});

describe('the verdict on a scheduled message', () => {
  const expires = scheduled({ schedule: { at: AT, ifLate: 'expire' } });
  const refusing = scheduled({ outsideWindow: 'refuse' });
  const replaced = scheduled({ outsideWindow: 'refuse', fallback: FALLBACK });
  const closed = factsAt(AT, { window: CLOSED });

  test('is none before its time, to the millisecond', () => {
    assert.equal(judgeDue(scheduled(), factsAt(AT - 1)), null);
    assert.equal(judgeDue(outboundFixture(), factsAt(AT)), null);
  });

  test('is its release by the time, more than an hour late as the call said, or as a template', () => {
    const rows = [
      [scheduled(), factsAt(AT)],
      [scheduled(), factsAt(AT + 9 * DAY_MS)],
      [expires, factsAt(AT + HOUR_MS)],
      [scheduled(), closed],
      [refusing, factsAt(AT)],
      [ofTemplate, closed],
    ] as const;
    for (const [message, facts] of rows) assert.deepEqual(judgeDue(message, facts), RELEASED);
    assert.deepEqual(judgeDue(replaced, closed), { ...RELEASED, asFallback: true });
  });

  test('is its failure, with a reason for a person: an opt-out first, late, window, template', () => {
    const late = factsAt(AT + HOUR_MS + 1);
    assert.deepEqual(errorOf(expires, late), {
      code: 'late',
      message: 'A mensagem passou mais de uma hora do seu horário e não foi enviada.',
    });
    const optedOut = {
      code: 'opted_out',
      message: 'O contato pediu para não receber mensagens.',
    };
    assert.deepEqual(errorOf(scheduled(), factsAt(AT, { optedOut: true })), optedOut);
    assert.deepEqual(errorOf(expires, { ...late, optedOut: true }), optedOut);
    assert.equal(errorOf(refusing, closed)?.code, 'window_closed');
    const paused = { code: 'template', message: 'Pausado.' };
    const templateFault = paused.message;
    assert.deepEqual(errorOf(ofTemplate, factsAt(AT, { templateFault })), paused);
    assert.deepEqual(errorOf(replaced, { ...closed, templateFault }), paused);
  });

  test('is shown as the template that replaces it, and nothing takes the place of that', () => {
    const verdict = { ...RELEASED, asFallback: true } as const;
    const entry = { id: 'm', seq: 1, message: replaced };
    const { settles } = decideDue(conversationFixture(), entry, {
      verdict,
      to: '5511',
      now: AT,
      window: {},
    });
    const shown = settledMessage(replaced, settles ?? assert.fail());
    assert.deepEqual([shown.text, shown.content], ['Oi!', content]);
    assert.equal(shown.fallback, undefined);
  });
});

describe('the settlement of a scheduled message', () => {
  const entry = { id: 'msg_1', seq: 3, message: scheduled({ text: 'Bom dia' }) };
  const settle = { verdict: RELEASED, to: '5511', now: AT, window: {} };
  const error = { code: 'late', message: 'Tarde.' };
  const fail = { ...settle, verdict: { outcome: 'failed', error } as const };
  const known = { lastMessagePreview: 'Antes', lastMessageSeq: 2, seq: 9 };

  test('that releases takes the next place, and tells no event', () => {
    const state = conversationFixture({ seq: 9, queuedSeq: 7, unread: 2, at: NOW });
    const decided = decideDue(state, entry, settle);
    assert.deepEqual(decided.settles, {
      ...{ messageId: 'msg_1', outcome: 'released', at: AT, previousSeq: 7, to: '5511' },
    });
    const { seq, queuedSeq, unread, messages } = decided.state;
    assert.deepEqual([seq, queuedSeq, unread, messages], [10, 10, 2, state.messages]);
    assert.deepEqual(decided.outbox, []);
    const { status } = settledMessage(entry.message, decided.settles ?? assert.fail());
    assert.equal(status, 'queued');
  });

  test('that releases shows the message as the last one, unless a later one is there', () => {
    const shownAfter = (lastMessageAt: number) => {
      const before = conversationFixture({ ...known, lastMessageAt });
      const { state } = decideDue(before, entry, settle);
      return [state.lastMessageAt, state.lastMessagePreview, state.lastMessageSeq];
    };
    assert.deepEqual(shownAfter(AT - 1), [AT, 'Bom dia', 3]);
    assert.deepEqual(shownAfter(AT), [AT, 'Bom dia', 3], 'of one moment the last decided');
    assert.deepEqual(shownAfter(AT + 1), [AT + 1, 'Antes', 2]);
  });

  test('has no earlier time than the entry before it, whatever the clock says', () => {
    const ahead = conversationFixture({ ...known, at: AT + 500 });
    const decisions = [
      decideDue(ahead, entry, settle),
      decideDue(ahead, entry, fail),
      decideCancel(ahead, entry, AT),
    ];
    for (const { settles, state } of decisions) {
      assert.deepEqual([settles?.at, state.at], [AT + 500, AT + 500]);
    }
    const behind = conversationFixture({ ...known, at: AT - 500 });
    assert.equal(decideCancel(behind, entry, AT).settles?.at, AT);
  });

  test('that fails tells whose message failed, when and why; of a cancelled one nothing is told', () => {
    const state = conversationFixture(known);
    const { outbox, state: after } = decideDue(state, entry, fail);
    const [told, ...more] = outbox;
    assert.ok(told !== undefined && 'data' in told && more.length === 0);
    assert.deepEqual([told.id, told.event], ['msg_1.message.failed', 'message.failed']);
    const { messageId, conversationId, channelId, error: said } = told.data;
    assert.deepEqual([messageId, conversationId, channelId], ['msg_1', 'cnv_1', 'chn_1']);
    assert.deepEqual([said, told.data.occurredAt], [error, '2026-05-04T13:00:00.000Z']);
    assert.deepEqual(after, { ...state, seq: 10, at: AT });
    const cancelled = decideCancel(state, entry, AT);
    assert.deepEqual([cancelled.outbox, cancelled.state], [[], after], 'a cancel tells nothing');
  });
});

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

/**
 * Settlements under two owners with stale states: any order of due messages, cancels, sends,
 * crashes and repeats. The log refuses a taken `seq` and a known id, as the store does.
 */
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
      const sent = decideSend(state, draft, NOW);
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
      const sent = decideSend(this.#state(step.owner), draft, this.now);
      this.append(step.owner, `now_${this.#sends++}`, sent);
    } else if ('message' in step) this.#settle(step);
  }

  #settle({ does, owner: by, message: index }: Extract<Step, { message: number }>): void {
    const id = `msg_${index}`;
    const entry = this.#entry(id);
    if (does === 'apply') return this.#apply(entry);
    const scheduled = { id, seq: entry.seq, message: entry.message ?? assert.fail() };
    const state = this.#state(by);
    const facts = { now: this.now, ...FREE, window: {} };
    const verdict = judgeDue(scheduled.message, facts);
    const decided =
      does === 'cancel'
        ? decideCancel(state, scheduled, this.now)
        : verdict &&
          decideDue(state, scheduled, { verdict, to: '5511', now: this.now, window: {} });
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

test('each scheduled message is settled once at most, never early, and sent in the order of settlements', () => {
  withRuns(2_000)([fc.array(stepArb, { maxLength: 40, size: 'max' })], (steps) => {
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
  });
});
