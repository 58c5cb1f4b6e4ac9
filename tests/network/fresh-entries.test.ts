/** A queued message comes with the nudge that tells of it: who sends it at once reads nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCEPT, setDesk } from './desk-stage.ts';

for (const whole of [false, true]) {
  const how = whole ? 'came with its nudge' : 'was read';
  test(`what ${how} and another owner has marked meanwhile is not handed over beside it`, async () => {
    const stage = setDesk({ rival: true, whole });
    stage.queue('a', 'uma vez');
    await stage.pass(5_000);
    assert.deepEqual(stage.texts(), []);
    await stage.pass(30_000);
    assert.deepEqual(stage.texts(), ['uma vez'], 'its fate was looked into first');
  });
}

test('a message that came with its nudge is sent unread, and read before it is tried again', async () => {
  const stage = setDesk({ whole: true });
  stage.queue('a', 'olá');
  await stage.pass(0);
  assert.deepEqual(stage.texts(), ['olá']);
  assert.equal(stage.reads(), 0);
  stage.answer = () => ({ outcome: 'later', scope: 'pair', waitMs: 1_000, cause: 'busy' });
  stage.queue('b', 'de novo');
  await stage.pass(0);
  stage.answer = ACCEPT;
  await stage.pass(10_000);
  assert.deepEqual(stage.texts(), ['olá', 'de novo', 'de novo']);
  assert.equal(stage.reads(), 1);
});
