/** A scheduled message whose time has come: its template, settlement and place (D293, D294). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type DueFacts,
  decideCancel,
  decideDue,
  dueForm,
  judgeDue,
  settledMessage,
} from '../../../../actors/domain/schedule.ts';
import { WINDOW_MS } from '../../../../shared/limits.ts';
import type { StoredMessage } from '../../../../shared/message.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';

const HOUR_MS = 60 * 60_000;
const AT = NOW + HOUR_MS;
const TEMPLATE = { name: 'oi', language: 'pt_BR', body: [], buttons: [] };
const FALLBACK = { template: TEMPLATE, text: 'Oi!', kind: 'image', media: null } as const;
const OPEN = { windowFrom: AT - WINDOW_MS + 1_000 };
const CLOSED = { windowFrom: AT - WINDOW_MS };
const RELEASED = { outcome: 'released' } as const;

function scheduled(over: Partial<StoredMessage> = {}): StoredMessage {
  const schedule = { at: AT, ifLate: 'send' } as const;
  return outboundFixture({ status: 'scheduled', revision: 0, schedule, ...over });
}

const ofTemplate = scheduled({
  kind: 'document',
  outsideWindow: 'refuse',
  content: { type: 'template', template: TEMPLATE },
});

function factsAt(now: number, over: Partial<DueFacts> = {}): DueFacts {
  return { now, optedOut: false, window: OPEN, templateFault: null, ...over };
}

function errorOf(message: StoredMessage, facts: DueFacts) {
  const verdict = judgeDue(message, facts) ?? assert.fail('it is due');
  return verdict.outcome === 'failed' ? verdict.error : null;
}

describe('the verdict', () => {
  test('on a message that fails names its reason to a person', () => {
    const expires = scheduled({ schedule: { at: AT, ifLate: 'expire' } });
    const late = factsAt(AT + HOUR_MS + 1);
    assert.deepEqual(errorOf(expires, late), {
      code: 'late',
      message: 'A mensagem passou mais de uma hora do seu horário e não foi enviada.',
    });
    assert.deepEqual(errorOf(expires, { ...late, optedOut: true }), {
      code: 'opted_out',
      message: 'O contato pediu para não receber mensagens.',
    });
    assert.deepEqual(errorOf(ofTemplate, factsAt(AT, { templateFault: 'Pausado.' })), {
      code: 'template',
      message: 'Pausado.',
    });
  });

  test('on a template rests on no window', () => {
    assert.deepEqual(judgeDue(ofTemplate, factsAt(AT, { window: CLOSED })), RELEASED);
  });

  test('on a message outside of the window is sent, unless its call said otherwise', () => {
    const closed = factsAt(AT, { window: CLOSED });
    assert.deepEqual(judgeDue(scheduled(), closed), RELEASED);
    assert.equal(errorOf(scheduled({ outsideWindow: 'refuse' }), closed)?.code, 'window_closed');
  });
});

test('the template to be sent is the message’s own, or its fallback outside of the window', () => {
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

describe('a settlement', () => {
  const entry = { id: 'msg_1', seq: 3, message: scheduled({ text: 'Bom dia' }) };
  const settle = { verdict: RELEASED, to: '5511', now: AT };
  const error = { code: 'late', message: 'Tarde.' };
  const known = { lastMessagePreview: 'Antes', lastMessageSeq: 2, seq: 9 };

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
    const failed = { ...settle, verdict: { outcome: 'failed', error } as const };
    const decisions = [
      decideDue(ahead, entry, settle),
      decideDue(ahead, entry, failed),
      decideCancel(ahead, entry, AT),
    ];
    for (const { settles, state } of decisions) {
      assert.deepEqual([settles?.at, state.at], [AT + 500, AT + 500]);
    }
    const behind = conversationFixture({ ...known, at: AT - 500 });
    assert.equal(decideCancel(behind, entry, AT).settles?.at, AT);
  });

  test('that fails tells whose message failed, when and why', () => {
    const state = conversationFixture(known);
    const verdict = { outcome: 'failed', error } as const;
    const { outbox } = decideDue(state, entry, { ...settle, verdict });
    const [told] = outbox;
    assert.ok(told !== undefined && 'data' in told);
    const { messageId, conversationId, channelId, error: said } = told.data;
    assert.deepEqual([messageId, conversationId, channelId], ['msg_1', 'cnv_1', 'chn_1']);
    assert.deepEqual([said, told.data.occurredAt], [error, '2026-05-04T13:00:00.000Z']);
  });
});

test('a message after its settlement has a later revision than any change of its old status', () => {
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
