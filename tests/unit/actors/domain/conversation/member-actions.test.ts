/** D11, D12: what a team’s members do in a conversation, as pure decisions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideAssign,
  decideChange,
  decideKeyNote,
  decideNote,
  decideParticipants,
  decidePause,
  decideRead,
  decideReopen,
  decideReply,
  decideResolve,
  decideResume,
  namedOperation,
} from '../../../../../actors/domain/conversation/member-actions.ts';
import { conversationFixture, NOW } from '../../../../support/actors/domain/message-fixture.ts';

const ANA = { id: 'mbr_ana', name: 'Ana' };
const MINUTES = 60_000;

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

test('a note is the team’s own: it zeroes unread, counts apart, and is not the last message', () => {
  const counts = { seq: 3, at: NOW + 3, messages: 3, unread: 2, lastMessagePreview: 'Oi' };
  const before = conversationFixture(counts);
  const { message, ...noted } = decideNote(before, { author: ANA, text: 'ligar' }, NOW);
  assert.deepEqual(message, {
    ...{ revision: 1, direction: 'note', kind: 'text', text: 'ligar', media: null },
    ...{ author: { kind: 'member', label: 'Ana' }, memberId: ANA.id },
    ...{ status: 'received', origin: 'panel' },
    ...{ receipts: { sent: null, delivered: null, read: null }, externalId: null },
    ...{ replyToId: null, transcript: null, createdAt: NOW + 3 },
  });
  const counted = { seq: 4, unread: 0, notes: 1, historyAt: NOW + 3 };
  const state = { ...before, ...counted, participants: [ANA.id] };
  assert.deepEqual(noted, { state, queued: false, outbox: [] }, 'it pauses nothing');
});

test('a note of a key has its name, and leaves unread, pause and participants', () => {
  const counts = { seq: 3, at: NOW + 3, messages: 3, unread: 2, lastMessagePreview: 'Oi' };
  const paused = { automationPausedUntil: NOW + MINUTES, participants: [ANA.id] };
  const before = conversationFixture({ ...counts, ...paused });
  for (const origin of ['api', 'assistant'] as const) {
    const asked = { keyName: 'ERP', text: 'pago', origin };
    const { message, ...noted } = decideKeyNote(before, asked, NOW);
    assert.deepEqual(message.author, { kind: 'automation', label: 'ERP' });
    assert.deepEqual([message.direction, message.origin, message.text], ['note', origin, 'pago']);
    const state = { ...before, seq: 4, notes: 1, historyAt: NOW + 3 };
    assert.deepEqual(noted, { state, queued: false, outbox: [] });
  }
});

test('a reply is queued as a send is, as a member who takes part, and pauses automation', () => {
  const state = conversationFixture({ unread: 2, status: 'in_flow', participants: ['mbr_bia'] });
  const reply = { author: ANA, text: 'Já vejo', pauseMs: 30 * MINUTES };
  const { message, queued, state: after } = decideReply(state, reply, NOW);
  assert.deepEqual([message.kind, message.text, message.media], ['text', 'Já vejo', null]);
  assert.deepEqual([queued, message.status, message.origin], [true, 'queued', 'panel']);
  assert.deepEqual(message.author, { kind: 'member', label: 'Ana' });
  assert.equal(message.memberId, ANA.id);
  assert.deepEqual([after.unread, after.lastMessagePreview], [0, 'Já vejo']);
  assert.deepEqual([after.automationPausedUntil, after.status], [NOW + 30 * MINUTES, 'in_flow']);
  assert.deepEqual(after.participants, ['mbr_bia', ANA.id]);
  assert.deepEqual(decideReply(after, reply, NOW).state.participants, ['mbr_bia', ANA.id]);
  const longer = conversationFixture({ automationPausedUntil: NOW + 60 * MINUTES });
  assert.equal(decideReply(longer, reply, NOW).state.automationPausedUntil, NOW + 60 * MINUTES);
});

test('participants come and go; the same ones change nothing', () => {
  const before = conversationFixture({ participants: ['a', 'b'] });
  const after = (add: readonly string[], remove: readonly string[]) =>
    decideParticipants(before, { add, remove }, NOW)?.state.participants;
  assert.deepEqual(after(['c', 'a'], ['b']), ['a', 'c']);
  assert.deepEqual(after(['c'], []), ['a', 'b', 'c']);
  assert.deepEqual(after([], ['a']), ['b']);
  assert.deepEqual(after(['a'], ['a']), ['b', 'a']);
  assert.equal(after(['b', 'a'], ['x']), undefined);
});

test('assignment, pause and resolution append one entry each, without a message', () => {
  const before = conversationFixture({ seq: 3, at: NOW + 9, participants: ['a'] });
  const appended = (state: object) => ({ state, queued: false, outbox: [] });
  const assigned = { ...before, seq: 4, assignedTo: 'b', participants: ['a', 'b'] };
  assert.deepEqual(decideAssign(before, 'b', NOW), appended(assigned));
  const nobodys = { ...assigned, seq: 5, assignedTo: null };
  assert.deepEqual(decideAssign(assigned, null, NOW), appended(nobodys));
  const paused = { ...assigned, seq: 5, automationPausedUntil: NOW + 60_000 };
  assert.deepEqual(decidePause(assigned, 60_000, NOW), appended(paused));
  const shorter = decidePause(paused, 1_000, NOW).state.automationPausedUntil;
  assert.equal(shorter, NOW + 1_000, 'a pause said outright may be shorter');
  const resumed = { ...paused, seq: 6, automationPausedUntil: null };
  assert.deepEqual(decideResume(paused, NOW), appended(resumed));
  assert.deepEqual(decideResolve(paused, NOW), appended({ ...paused, seq: 6, status: 'resolved' }));
  assert.equal(decideResolve(before, NOW + 20)?.state.at, NOW + 20);
  const joined = { ...before, seq: 4, participants: ['a', 'c'] };
  assert.deepEqual(decideParticipants(before, { add: ['c'], remove: [] }, NOW), appended(joined));
});

test('a member’s action that changes nothing appends no entry', () => {
  const settled = conversationFixture({ assignedTo: ANA.id, status: 'resolved' });
  const repeats = [
    decideAssign(settled, ANA.id, NOW),
    decideAssign(conversationFixture(), null, NOW),
    decideResume(settled, NOW),
    decideResolve(settled, NOW),
  ];
  assert.deepEqual(repeats, [null, null, null, null]);
});

test('a change of several properties is one entry, and none where all was so', () => {
  const before = conversationFixture({ seq: 3, at: NOW - 9, participants: ['a'] });
  const until = NOW + MINUTES;
  const all = { assignedTo: 'b', participants: ['c', 'c'], status: 'resolved' } as const;
  const changed = decideChange(before, { ...all, pausedUntil: until }, NOW);
  const state = {
    ...before,
    ...{ seq: 4, at: NOW, assignedTo: 'b', participants: ['c', 'b'] },
    ...{ status: 'resolved', automationPausedUntil: until },
  };
  assert.deepEqual(changed, { state, queued: false, outbox: [] });
  assert.ok(changed);
  const same = { assignedTo: 'b', participants: ['c', 'b'], status: 'resolved' } as const;
  assert.equal(decideChange(changed.state, { ...same, pausedUntil: until }, NOW), null);
  assert.equal(decideChange(changed.state, {}, NOW), null);
  const left = decideChange(changed.state, { assignedTo: 'b', participants: [] }, NOW);
  assert.deepEqual(left?.state.participants, [], 'who stays assigned may leave');
  const resumed = decideChange(changed.state, { pausedUntil: null, status: 'open' }, NOW);
  assert.deepEqual([resumed?.state.automationPausedUntil, resumed?.state.status], [null, 'open']);
  const flowing = conversationFixture({ status: 'in_flow' });
  assert.equal(decideChange(flowing, { status: 'open' }, NOW), null);
  assert.equal(decideChange(flowing, { status: 'resolved' }, NOW)?.state.status, 'resolved');
});

test('a change of one thing has a name of its own in people’s log', () => {
  assert.equal(namedOperation({ assignedTo: null }), 'assignConversation');
  assert.equal(namedOperation({ participants: [] }), 'changeParticipants');
  assert.equal(namedOperation({ status: 'open' }), 'reopenConversation');
  assert.equal(namedOperation({ status: 'resolved' }), 'resolveConversation');
  assert.equal(namedOperation({ pausedUntil: NOW }), 'pauseAutomation');
  assert.equal(namedOperation({ pausedUntil: null }), 'resumeAutomation');
  assert.equal(namedOperation({ assignedTo: 'a', status: 'open' }), null);
});
