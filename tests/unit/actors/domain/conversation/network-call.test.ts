/** A contact’s call: it opens the 24-hour window once, and may begin a conversation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation } from '../../../../../actors/domain/conversation/conversation.ts';
import {
  decideCall,
  decideWelcome,
} from '../../../../../actors/domain/conversation/network-call.ts';
import { windowOf } from '../../../../../actors/domain/conversation/window.ts';
import { WINDOW_MS } from '../../../../../shared/limits.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
} from '../../../../support/actors/domain/message-fixture.ts';

const AT = NOW - (NOW % 1_000);
const call = (at: number) => ({ at, networkId: '5511988887777' });

test('a call opens the 24-hour window from its own second, and is no message', () => {
  const before = conversationFixture({ seq: 4, unread: 1, messages: 3, windowFrom: AT - 5_000 });
  const decided = decideCall(before, call(AT + 999), NOW);
  assert.ok(decided);
  const { state, message, outbox, queued } = decided;
  assert.deepEqual([message, outbox, queued], [undefined, [], false]);
  assert.deepEqual(state, {
    ...before,
    ...{ seq: 5, at: Math.max(before.at, NOW), windowFrom: AT, networkId: '5511988887777' },
  });
  assert.equal(windowOf(state, AT + WINDOW_MS - 1), 'open');
  assert.equal(windowOf(state, AT + WINDOW_MS), 'closed');
});

test('a call that is older than the window’s beginning, or as old, changes nothing', () => {
  for (const seq of [1, 2]) {
    assert.equal(decideCall(conversationFixture({ seq, windowFrom: AT }), call(AT), NOW), null);
  }
  const open = conversationFixture({ seq: 4, windowFrom: AT });
  assert.equal(decideCall(open, call(AT - 60_000), NOW), null);
  assert.notEqual(decideCall(open, call(AT + 1_000), NOW), null);
});

test('a call begins a conversation that has no message yet', () => {
  const identity = { id: 'cnv_1', orgId: 'org_1', channelId: 'chn_1', contact: CONTACT };
  const begun = newConversation({ ...identity, networkId: null }, NOW);
  const { state } = decideCall(begun, call(AT), NOW) ?? assert.fail('it is recorded');
  assert.deepEqual([state.seq, state.messages, state.unread, state.status], [1, 0, 0, 'open']);
  assert.deepEqual([state.windowFrom, state.networkId], [AT, '5511988887777']);
  const late = decideCall(conversationFixture({ seq: 0, windowFrom: AT }), call(AT), NOW);
  assert.deepEqual([late?.state.seq, late?.state.windowFrom], [1, AT], 'the window is as late');
});

test('an opened chat is no message, opens the window, and always has an entry', () => {
  const before = conversationFixture({ seq: 4, unread: 1, windowFrom: AT });
  const { state, message, outbox } = decideWelcome(before, call(AT), NOW);
  assert.deepEqual([message, outbox, state.seq, state.unread], [undefined, [], 5, 1]);
  assert.equal(windowOf(state, AT + WINDOW_MS - 1), 'open');
});
