/** The class of a message in its channel's queue, in every way that makes one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryDocument, settledEntry } from '../../../../../actors/conversation/log/documents.ts';
import {
  type ConversationState,
  decideSend,
} from '../../../../../actors/domain/conversation/conversation.ts';
import { decideReply } from '../../../../../actors/domain/conversation/member-actions.ts';
import { decideDue, decideSchedule } from '../../../../../actors/domain/conversation/schedule.ts';
import { urgencyOf } from '../../../../../actors/domain/conversation/urgency.ts';
import type { SendAgenda } from '../../../../../actors/model/conversation.ts';
import { REPLY_WITHIN_MS } from '../../../../../shared/limits.ts';
import {
  conversationFixture,
  NOW,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';

const DRAFT = { kind: 'text', media: null, text: 'a', authorLabel: 'ERP', origin: 'api' } as const;
const BULK = { expiresAt: NOW + 60_000 };
const AUTHOR = { id: 'mem_1', name: 'Ana' };
const VERDICT = { outcome: 'released' } as const;

test('bulk if its caller says so, else a reply of a member or to who wrote just now', () => {
  const member = outboundFixture({ author: { kind: 'member', label: 'Ana' } });
  const automation = outboundFixture();
  const recent = { lastInboundAt: NOW - REPLY_WITHIN_MS };
  const past = { lastInboundAt: NOW - REPLY_WITHIN_MS - 1 };
  assert.equal(urgencyOf(outboundFixture({ bulk: BULK }), recent, NOW), 'bulk');
  assert.equal(urgencyOf({ ...member, bulk: BULK }, recent, NOW), 'bulk');
  assert.equal(urgencyOf(member, {}, NOW), 'reply');
  assert.equal(urgencyOf(automation, recent, NOW), 'reply');
  assert.equal(urgencyOf(automation, past, NOW), 'normal');
  assert.equal(urgencyOf(automation, {}, NOW), 'normal');
});

test('the agenda has it from the entry on; a normal message says nothing', () => {
  const answered = { lastInboundAt: NOW - 1_000 };
  const agendaOf = (over: Partial<ConversationState>, bulk?: typeof BULK): SendAgenda => {
    const draft = { ...DRAFT, ...(bulk ? { bulk } : {}) };
    const sent = decideSend(conversationFixture(over), draft, NOW);
    return entryDocument('msg_1', sent).send ?? assert.fail();
  };
  assert.equal(agendaOf({}).urgency, undefined);
  assert.ok(!('urgency' in agendaOf({})));
  assert.equal(agendaOf(answered).urgency, 'reply');
  assert.equal(agendaOf(answered, BULK).urgency, 'bulk');
  const reply = { author: AUTHOR, text: 'oi', pauseMs: 1 };
  const said = entryDocument('msg_2', decideReply(conversationFixture(), reply, NOW));
  assert.equal(said.send?.urgency, 'reply');
});

test('of a scheduled message it is decided when it is released', () => {
  const schedule = { at: NOW + 5, ifLate: 'send' } as const;
  const start = conversationFixture();
  const releasedTo = (lastInboundAt: number, bulk?: typeof BULK) => {
    const sent = decideSend(start, { ...DRAFT, ...(bulk ? { bulk } : {}) }, NOW);
    const held = decideSchedule(start, sent, { schedule });
    assert.equal(entryDocument('msg_1', held).send, undefined);
    const { message, state } = held;
    const due = { verdict: VERDICT, to: '5511', now: NOW + 10, window: { lastInboundAt } };
    const settlement = entryDocument('s', decideDue(state, { id: 'msg_1', seq: 1, message }, due));
    const { seq, settles = assert.fail() } = settlement;
    return settledEntry({ ...entryDocument('msg_1', held), message }, { seq, settles }).send;
  };
  assert.equal(releasedTo(NOW - 2 * REPLY_WITHIN_MS)?.urgency, undefined);
  assert.equal(releasedTo(NOW)?.urgency, 'reply');
  assert.equal(releasedTo(NOW, BULK)?.urgency, 'bulk');
});
