/** Waits: the policy's arithmetic, and sleeps that end in time or earlier. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { delayMs, retryWhile, sleep, sleepUntil } from '../../../../actors/runtime/repeat.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

test('waits begin with the first, never shrink, and never exceed their maximum', () => {
  const policies = fc.record({
    firstMs: fc.nat(10_000),
    growth: fc.double({ min: 1, max: 10, noNaN: true }),
    maxMs: fc.integer({ min: 10_000, max: 1_000_000 }),
  });
  fc.assert(
    fc.property(policies, fc.nat(10_000), (policy, waits) => {
      assert.equal(delayMs(policy, 0), policy.firstMs);
      const [now, next] = [delayMs(policy, waits), delayMs(policy, waits + 1)];
      assert.ok(now <= next && next <= policy.maxMs, `${now}, then ${next}`);
    }),
  );
  assert.equal(delayMs({ firstMs: 7 }, 5), 7, 'a policy without growth repeats its wait');
  const policy = { firstMs: 5, growth: 2, maxMs: 25 };
  const delays = [0, 1, 2, 3].map((waits) => delayMs(policy, waits));
  assert.deepEqual(delays, [5, 10, 20, 25]);
});

test('a sleep lasts its time, or until it is aborted, and leaves no timer', async () => {
  const clock = new ManualClock();
  const ended: string[] = [];
  const abort = Promise.withResolvers<void>();
  void sleep(clock, 100).then(() => ended.push('whole'));
  void sleep(clock, 100, abort.promise).then(() => ended.push('aborted'));
  clock.advance(99);
  await settle();
  assert.deepEqual(ended, []);
  abort.resolve();
  await settle();
  assert.deepEqual([ended, clock.waiting], [['aborted'], 1]);
  clock.advance(1);
  await settle();
  assert.deepEqual([ended, clock.waiting], [['aborted', 'whole'], 0]);
});

test('a sleep that is aborted by a fault rejects with it', async () => {
  const clock = new ManualClock();
  await assert.rejects(sleep(clock, 100, Promise.reject(new Error('broken'))), /broken/);
  assert.equal(clock.waiting, 0);
});

test('a drain ends when nothing is left, or at its limit', async () => {
  for (const [doneAt, expected] of [
    [0, 0],
    [25, 30],
    [1_000, 100],
  ] as const) {
    const clock = new ManualClock();
    const from = clock.monotonic();
    const isDone = () => clock.monotonic() - from >= doneAt;
    let endedAt = -1;
    void sleepUntil(clock, isDone, { everyMs: 10, maxMs: 100 }).then(() => {
      endedAt = clock.monotonic() - from;
    });
    for (let ms = 0; ms <= 200 && endedAt < 0; ms += 10) {
      await settle();
      if (endedAt < 0) clock.advance(10);
    }
    assert.equal(endedAt, expected);
  }
});

test('work is repeated after its waits until it succeeds', async () => {
  const clock = new ManualClock();
  const from = clock.monotonic();
  const triedAt: number[] = [];
  const work = async () => {
    triedAt.push(clock.monotonic() - from);
    if (triedAt.length < 4) throw new Error('broken');
    return 'done';
  };
  const wait = { firstMs: 10, growth: 2, maxMs: 30 };
  const retry = { mayAct: () => true, wait, failedMessage: 'failed' };
  const result = retryWhile({ clock, log: SILENT }, retry, work);
  for (let ms = 0; ms < 100; ms++) {
    await settle();
    clock.advance(1);
  }
  assert.equal(await result, 'done');
  assert.deepEqual(triedAt, [0, 10, 30, 60]);
});

test('nothing is tried that this process may not do', async () => {
  const clock = new ManualClock();
  let held = true;
  let tries = 0;
  const retry = { mayAct: () => held, wait: { firstMs: 10 }, failedMessage: 'failed' };
  const result = retryWhile({ clock, log: SILENT }, retry, async () => {
    tries++;
    throw new Error('broken');
  });
  await settle();
  held = false;
  clock.advance(10);
  assert.equal(await result, null);
  assert.equal(tries, 1);
});
