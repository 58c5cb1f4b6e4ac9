/** D11, D12: what a team's members do in a conversation, as pure decisions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideAssign,
  decideNote,
  decideParticipants,
  decidePause,
  decideRead,
  decideReopen,
  decideReply,
  decideResolve,
  decideResume,
} from '../../../../actors/domain/member-actions.ts';
import { conversationFixture, NOW } from '../../../support/actors/domain/message-fixture.ts';

const ANA = { id: 'mbr_ana', name: 'Ana' };
const MINUTES = 60_000;

test('a note zeroes unread, counts apart, and is not the last message', () => {
  const state = conversationFixture({ seq: 3, messages: 3, unread: 2, lastMessagePreview: 'Oi' });
  const noted = decideNote(state, { author: ANA, text: 'ligar amanhã' }, NOW + 5);
  assert.deepEqual([noted.state.seq, noted.state.messages, noted.state.notes], [4, 3, 1]);
  assert.deepEqual([noted.state.unread, noted.state.lastMessagePreview], [0, 'Oi']);
  assert.equal(noted.state.lastMessageAt, state.lastMessageAt);
  assert.deepEqual(noted.state.participants, [ANA.id]);
  assert.deepEqual([noted.message.direction, noted.message.author.kind], ['note', 'member']);
  assert.deepEqual([noted.queued, noted.outbox], [false, []]);
  assert.equal(noted.state.automationPausedUntil, null, 'a note is no answer');
});

test('a reply is queued as a send is, as a member, and pauses automation', () => {
  const state = conversationFixture({ unread: 2, status: 'in_flow' });
  const reply = { author: ANA, text: 'Já vejo', pauseMs: 30 * MINUTES };
  const sent = decideReply(state, reply, NOW);
  assert.deepEqual(
    [sent.queued, sent.message.status, sent.message.origin],
    [true, 'queued', 'panel'],
  );
  assert.deepEqual(sent.message.author, { kind: 'member', label: 'Ana' });
  assert.deepEqual([sent.state.unread, sent.state.lastMessagePreview], [0, 'Já vejo']);
  assert.equal(sent.state.automationPausedUntil, NOW + 30 * MINUTES);
  assert.equal(sent.state.status, 'in_flow', 'it ends nothing');
  const longer = conversationFixture({ automationPausedUntil: NOW + 60 * MINUTES });
  assert.equal(decideReply(longer, reply, NOW).state.automationPausedUntil, NOW + 60 * MINUTES);
});

test('every change appends one entry without a message; what changes nothing appends none', () => {
  const state = conversationFixture({ seq: 5, automationPausedUntil: NOW + 1 });
  const changes = [
    decideAssign(state, ANA.id, NOW),
    decideParticipants(state, { add: [ANA.id], remove: [] }, NOW),
    decidePause(state, MINUTES, NOW),
    decideResume(state, NOW),
    decideResolve(state, NOW),
  ];
  for (const change of changes) {
    assert.equal(change?.state.seq, 6);
    assert.equal(change?.message, undefined);
    assert.equal(change?.state.lastMessageAt, state.lastMessageAt);
  }
  const settled = conversationFixture({
    assignedTo: ANA.id,
    participants: [ANA.id],
    status: 'resolved',
  });
  const repeats = [
    decideAssign(settled, ANA.id, NOW),
    decideAssign(conversationFixture(), null, NOW),
    decideParticipants(settled, { add: [ANA.id], remove: ['mbr_other'] }, NOW),
    decideResume(settled, NOW),
    decideResolve(settled, NOW),
  ];
  assert.deepEqual(repeats, [null, null, null, null, null]);
});

test('assigned means taking part; a pause said outright may be shorter; resolve keeps both', () => {
  const assigned = decideAssign(conversationFixture(), ANA.id, NOW);
  assert.deepEqual(assigned?.state.participants, [ANA.id]);
  const nobody = decideAssign(conversationFixture({ ...assigned?.state }), null, NOW);
  assert.deepEqual([nobody?.state.assignedTo, nobody?.state.participants], [null, [ANA.id]]);
  const paused = conversationFixture({
    ...assigned?.state,
    automationPausedUntil: NOW + 9 * MINUTES,
  });
  assert.equal(decidePause(paused, MINUTES, NOW).state.automationPausedUntil, NOW + MINUTES);
  const resolved = decideResolve(paused, NOW);
  assert.deepEqual(
    [resolved?.state.assignedTo, resolved?.state.automationPausedUntil],
    [ANA.id, NOW + 9 * MINUTES],
  );
});

test('only a resolved conversation is opened again', () => {
  const resolved = conversationFixture({ seq: 4, status: 'resolved', assignedTo: ANA.id });
  const opened = decideReopen(resolved, NOW);
  assert.deepEqual(opened?.state, { ...resolved, status: 'open', seq: 5, at: NOW });
  assert.deepEqual(opened?.outbox, []);
  for (const status of ['open', 'in_flow'] as const) {
    assert.equal(decideReopen(conversationFixture({ status }), NOW), null, status);
  }
});

test('what a member has read is unread no more, and is read once', () => {
  const unread = conversationFixture({ seq: 4, unread: 3, lastMessageAt: NOW - 9 });
  const read = decideRead(unread, NOW);
  assert.deepEqual([read?.state.unread, read?.state.seq, read?.message], [0, 5, undefined]);
  assert.equal(read?.state.lastMessageAt, NOW - 9);
  assert.ok(read);
  assert.equal(decideRead(read.state, NOW), null);
});

test('what came after the message that was read stays unread', () => {
  const unread = conversationFixture({ seq: 4, unread: 3 });
  assert.equal(decideRead(unread, NOW, { later: 1 })?.state.unread, 1);
  assert.equal(decideRead(unread, NOW, { later: 3 }), null);
  assert.equal(decideRead(unread, NOW, { later: 9 }), null);
});
