/**
 * The nudge for a queued message contains its entry: a sender that sends it at once reads nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCEPT, senderFixture } from './sender-fixture.ts';

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
