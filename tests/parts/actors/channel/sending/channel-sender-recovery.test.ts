/**
 * Queues of a channel whose owner failed half-way, whose configure failed or never came, or whose
 * nudge contained the entry: a sender that sends it at once reads nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCEPT, senderFixture } from '../sender-fixture.ts';

test('a receipt that was given up leaves its message in doubt for the next owner', async () => {
  for (const refused of [false, true]) {
    const fixture = senderFixture();
    if (refused) fixture.answer = () => ({ outcome: 'refused', code: 'x', reason: 'Recusada.' });
    fixture.reachable = false;
    const first = fixture.queue('a', 'a1');
    await fixture.pass(1_000);
    assert.deepEqual(fixture.texts(), ['a1']);
    fixture.leaseHeld = false;
    fixture.channel.close();
    await fixture.pass(1_000);
    Object.assign(fixture, { leaseHeld: true, reachable: true, answer: ACCEPT });
    const next = fixture.reopen();
    const entryId = fixture.queue('a', 'a2', { previousSeq: 1 });
    const queued = { conversationId: 'a', seq: 2, entryId, urgency: 'normal' } as const;
    next.sender.queue.conversations.add(queued);
    next.sender.pump();
    await fixture.pass(5_000);
    assert.deepEqual(fixture.texts(), ['a1'], 'nothing overtakes the message whose fate is open');
    await fixture.pass(15_000);
    assert.deepEqual(fixture.texts(), ['a1', 'a1', 'a2'], 'sent again after 12 s: at least once');
    assert.equal(fixture.statusOf(first), 'sent');
  }
});

for (const [what, configure, waitMs] of [
  ['the configure that enabled its channel failed', true, 15_000],
  ['its channel was never told that it is enabled', false, 70_000],
] as const) {
  test(`a queue goes on although ${what}`, async () => {
    const fixture = senderFixture();
    fixture.enabled = false;
    await fixture.channel.readiness.probeAndReport();
    fixture.queue('a', 'espera');
    await fixture.pass(1_000);
    assert.deepEqual(fixture.texts(), []);
    fixture.enabled = true;
    if (configure) {
      fixture.unreadable = true;
      await assert.rejects(fixture.channel.reconfigure());
      await fixture.pass(1_000);
      fixture.unreadable = false;
    }
    await fixture.pass(waitMs);
    assert.deepEqual(fixture.texts(), ['espera']);
  });
}

for (const whole of [false, true]) {
  const how = whole ? 'came with its nudge' : 'was read';
  test(`what ${how} and another owner has marked meanwhile is not handed over beside it`, async () => {
    const fixture = senderFixture({ rival: true, whole });
    fixture.queue('a', 'uma vez');
    await fixture.pass(5_000);
    assert.deepEqual(fixture.texts(), []);
    await fixture.pass(30_000);
    assert.deepEqual(fixture.texts(), ['uma vez'], 'its fate was looked into first');
  });
}

test('a message that came with its nudge is sent unread, and read before it is tried again', async () => {
  const fixture = senderFixture({ whole: true });
  fixture.queue('a', 'olá');
  await fixture.pass(0);
  assert.deepEqual(fixture.texts(), ['olá']);
  assert.equal(fixture.reads(), 0);
  fixture.answer = () => ({ outcome: 'later', scope: 'pair', waitMs: 1_000, cause: 'busy' });
  fixture.queue('b', 'de novo');
  await fixture.pass(0);
  fixture.answer = ACCEPT;
  await fixture.pass(10_000);
  assert.deepEqual(fixture.texts(), ['olá', 'de novo', 'de novo']);
  assert.equal(fixture.reads(), 1);
});
