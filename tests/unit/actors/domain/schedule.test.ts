/** Decisions about scheduled messages: what they change, and what becomes of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decideSend, type OutboundDraft } from '../../../../actors/domain/conversation.ts';
import {
  type DueFacts,
  decideCancel,
  decideDue,
  decideSchedule,
  judgeDue,
  refuseTime,
  settledMessage,
} from '../../../../actors/domain/schedule.ts';
import { WINDOW_MS } from '../../../../shared/limits.ts';
import type { StoredMessage } from '../../../../shared/message.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const draft: OutboundDraft = {
  ...{ text: 'Olá', kind: 'text', media: null, authorLabel: 'ERP', origin: 'api' },
};

function scheduled(over: Partial<StoredMessage> = {}): StoredMessage {
  const schedule = { at: NOW + HOUR_MS, ifLate: 'send' } as const;
  return outboundFixture({ status: 'scheduled', schedule, ...over });
}

function factsAt(now: number, over: Partial<DueFacts> = {}): DueFacts {
  return { now, optedOut: false, window: { windowFrom: now }, templateFault: null, ...over };
}

function errorOf(message: StoredMessage, facts: DueFacts): string | undefined {
  const verdict = judgeDue(message, facts);
  return verdict?.outcome === 'failed' ? verdict.error.code : undefined;
}

describe('acceptance', () => {
  test('from 5 s past to 90 days ahead', () => {
    const isFine = (inMs: number) => refuseTime({ at: NOW + inMs }, NOW) === null;
    assert.deepEqual([-5_001, -5_000, 0, 90 * DAY_MS, 90 * DAY_MS + 1].map(isFine), [
      ...[false, true, true, true, false],
    ]);
    assert.deepEqual(refuseTime({ at: NOW - 6_000 }, NOW)?.issues?.[0]?.path, 'sendAt');
  });

  test('a held message counts, and changes nothing else of its conversation', () => {
    const before = conversationFixture({ unread: 3, queuedSeq: 2, seq: 4, messages: 4 });
    const sent = decideSend(before, draft, NOW + 1);
    const schedule = { at: NOW + 2, ifLate: 'expire' } as const;
    const held = decideSchedule(before, sent, { schedule, outsideWindow: 'refuse' });
    assert.deepEqual(held.state, { ...before, seq: 5, at: NOW + 1, messages: 5 });
    const { status, outsideWindow, createdAt } = held.message;
    assert.deepEqual([status, outsideWindow, createdAt], ['scheduled', 'refuse', NOW + 1]);
    assert.deepEqual([held.queued, held.previousSeq], [false, undefined]);
  });
});

describe('what becomes of it', () => {
  const at = NOW + HOUR_MS;

  test('nothing before its time, to the millisecond', () => {
    assert.equal(judgeDue(scheduled(), factsAt(at - 1)), null);
    assert.deepEqual(judgeDue(scheduled(), factsAt(at)), { outcome: 'released' });
    assert.equal(judgeDue(outboundFixture(), factsAt(at)), null);
  });

  test('it fails for a contact who has opted out', () => {
    assert.equal(errorOf(scheduled(), factsAt(at, { optedOut: true })), 'opted_out');
  });

  test('more than an hour late it goes as the call said', () => {
    const expires = scheduled({ schedule: { at, ifLate: 'expire' } });
    assert.deepEqual(judgeDue(expires, factsAt(at + HOUR_MS)), { outcome: 'released' });
    assert.equal(errorOf(expires, factsAt(at + HOUR_MS + 1)), 'late');
    assert.deepEqual(judgeDue(scheduled(), factsAt(at + 9 * DAY_MS)), { outcome: 'released' });
  });

  test('outside of the window of its time: sent, refused, or replaced', () => {
    const window = { windowFrom: at - WINDOW_MS };
    const closed = factsAt(at, { window });
    const open = factsAt(at, { window: { windowFrom: at - WINDOW_MS + 1_000 } });
    assert.deepEqual(judgeDue(scheduled(), closed), { outcome: 'released' });
    const refusing = scheduled({ outsideWindow: 'refuse' });
    assert.equal(errorOf(refusing, closed), 'window_closed');
    assert.deepEqual(judgeDue(refusing, open), { outcome: 'released' });
    const template = { name: 'oi', language: 'pt_BR', body: [], buttons: [] };
    const fallback = { template, text: 'Oi!', kind: 'text', media: null } as const;
    const replaced = scheduled({ outsideWindow: 'refuse', fallback });
    const verdict = judgeDue(replaced, closed) ?? assert.fail();
    assert.deepEqual(verdict, { outcome: 'released', asFallback: true });
    const due = { verdict, to: '5511', now: at };
    const { settles } = decideDue(
      conversationFixture(),
      { id: 'm', seq: 1, message: replaced },
      due,
    );
    const shown = settledMessage(replaced, settles ?? assert.fail());
    assert.deepEqual([shown.text, shown.content], ['Oi!', { type: 'template', template }]);
    assert.equal(shown.fallback, undefined, 'nothing takes the place of the template');
    const paused = factsAt(at, { window, templateFault: 'Pausado.' });
    assert.equal(errorOf(replaced, paused), 'template');
  });
});

describe('the settlement', () => {
  const entry = { id: 'msg_1', seq: 3, message: scheduled() };
  const state = conversationFixture({ seq: 9, queuedSeq: 7, unread: 2, at: NOW });
  const now = NOW + HOUR_MS;

  test('of a released message takes the next place, and shows the message', () => {
    const verdict = { outcome: 'released' } as const;
    const decided = decideDue(state, entry, { verdict, to: '5511', now });
    assert.deepEqual(decided.settles, {
      ...{ messageId: 'msg_1', outcome: 'released', at: now, previousSeq: 7, to: '5511' },
    });
    const { seq, queuedSeq, unread, lastMessageAt, lastMessageSeq, messages } = decided.state;
    assert.deepEqual([seq, queuedSeq, unread, messages], [10, 10, 2, state.messages]);
    assert.deepEqual([lastMessageAt, lastMessageSeq], [now, 3]);
    assert.deepEqual(decided.outbox, []);
    const settled = settledMessage(entry.message, decided.settles ?? assert.fail());
    assert.equal(settled.status, 'queued');
  });

  test('of a failed one emits its event; of a cancelled one none', () => {
    const error = { code: 'late', message: 'Tarde.' };
    const verdict = { outcome: 'failed', error } as const;
    const failed = decideDue(state, entry, { verdict, to: '5511', now });
    assert.deepEqual(
      failed.outbox.map((item) => 'event' in item && [item.id, item.event, item.data.error]),
      [['msg_1.message.failed', 'message.failed', error]],
    );
    const cancelled = decideCancel(state, entry, now);
    assert.deepEqual(cancelled.outbox, []);
    for (const { state: after } of [failed, cancelled]) {
      assert.deepEqual(after, { ...state, seq: 10, at: now });
    }
  });
});
