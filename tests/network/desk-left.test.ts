/**
 * Queues of a channel whose owner failed half-way: a receipt given up with the lease, a configure
 * that failed or never came.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCEPT, setDesk } from './desk-stage.ts';

test('a receipt that was given up leaves its message in doubt for the next owner', async () => {
  for (const refused of [false, true]) {
    const stage = setDesk();
    if (refused) stage.answer = () => ({ outcome: 'refused', code: 'x', reason: 'Recusada.' });
    stage.takesReceipts = false;
    const first = stage.queue('a', 'a1');
    await stage.pass(1_000);
    assert.deepEqual(stage.texts(), ['a1']);
    stage.alive = false;
    stage.desk.close();
    await stage.pass(1_000);
    Object.assign(stage, { alive: true, takesReceipts: true, answer: ACCEPT });
    const next = stage.reopen();
    const second = {
      conversationId: 'a',
      seq: 2,
      entryId: stage.queue('a', 'a2', { previousSeq: 1 }),
    };
    next.queues.add(second);
    next.pump();
    await stage.pass(5_000);
    assert.deepEqual(stage.texts(), ['a1'], 'nothing overtakes the message whose fate is open');
    await stage.pass(15_000);
    assert.deepEqual(stage.texts(), ['a1', 'a1', 'a2'], 'sent again after 12 s: at least once');
    assert.equal(stage.statusOf(first), 'sent');
  }
});

test('a queue goes on although the configure that enabled its channel failed', async () => {
  const stage = setDesk();
  stage.enabled = false;
  await stage.desk.readiness.probe();
  stage.queue('a', 'espera');
  await stage.pass(1_000);
  assert.deepEqual(stage.texts(), []);
  Object.assign(stage, { enabled: true, unreadable: true });
  await assert.rejects(stage.desk.reconfigure());
  await stage.pass(1_000);
  stage.unreadable = false;
  await stage.pass(15_000);
  assert.deepEqual(stage.texts(), ['espera']);
});

test('a queue goes on although its channel was never told that it is enabled', async () => {
  const stage = setDesk();
  stage.enabled = false;
  await stage.desk.readiness.probe();
  stage.queue('a', 'espera');
  await stage.pass(1_000);
  stage.enabled = true;
  await stage.pass(70_000);
  assert.deepEqual(stage.texts(), ['espera']);
});
