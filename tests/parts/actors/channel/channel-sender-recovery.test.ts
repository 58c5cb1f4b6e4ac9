/**
 * Queues of a channel whose owner failed half-way: a receipt given up with the lease, a configure
 * that failed or never came.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCEPT, senderFixture } from './sender-fixture.ts';

test('a receipt that was given up leaves its message in doubt for the next owner', async () => {
  for (const refused of [false, true]) {
    const fixture = senderFixture();
    if (refused) fixture.answer = () => ({ outcome: 'refused', code: 'x', reason: 'Recusada.' });
    fixture.reachable = false;
    const first = fixture.queue('a', 'a1');
    await fixture.pass(1_000);
    assert.deepEqual(fixture.texts(), ['a1']);
    fixture.leaseHeld = false;
    fixture.sender.close();
    await fixture.pass(1_000);
    Object.assign(fixture, { leaseHeld: true, reachable: true, answer: ACCEPT });
    const next = fixture.reopen();
    const second = {
      conversationId: 'a',
      seq: 2,
      entryId: fixture.queue('a', 'a2', { previousSeq: 1 }),
    };
    next.queues.add(second);
    next.pump();
    await fixture.pass(5_000);
    assert.deepEqual(fixture.texts(), ['a1'], 'nothing overtakes the message whose fate is open');
    await fixture.pass(15_000);
    assert.deepEqual(fixture.texts(), ['a1', 'a1', 'a2'], 'sent again after 12 s: at least once');
    assert.equal(fixture.statusOf(first), 'sent');
  }
});

test('a queue goes on although the configure that enabled its channel failed', async () => {
  const fixture = senderFixture();
  fixture.enabled = false;
  await fixture.sender.readiness.probe();
  fixture.queue('a', 'espera');
  await fixture.pass(1_000);
  assert.deepEqual(fixture.texts(), []);
  Object.assign(fixture, { enabled: true, unreadable: true });
  await assert.rejects(fixture.sender.reconfigure());
  await fixture.pass(1_000);
  fixture.unreadable = false;
  await fixture.pass(15_000);
  assert.deepEqual(fixture.texts(), ['espera']);
});

test('a queue goes on although its channel was never told that it is enabled', async () => {
  const fixture = senderFixture();
  fixture.enabled = false;
  await fixture.sender.readiness.probe();
  fixture.queue('a', 'espera');
  await fixture.pass(1_000);
  fixture.enabled = true;
  await fixture.pass(70_000);
  assert.deepEqual(fixture.texts(), ['espera']);
});
