/** Slow worlds: one in ten, and each as long, and with pauses as long, as it is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from './seeded-random.ts';
import { isSlow, planOf, SLOW_WORK_MS } from './slow-time.ts';

const FROM_MS = 1_000;
const PLACES = 3;
const SEEDS = Array.from({ length: 1_000 }, (_, at) => at + 1);
const PLANS = SEEDS.map((seed) => planOf(new SeededRandom(seed), FROM_MS, PLACES));

test('one world in ten is slow, with even seeds and odd ones', () => {
  const slow = SEEDS.filter(isSlow);
  assert.equal(slow.length, SEEDS.length / 10);
  assert.equal(slow.filter((seed) => seed % 2 === 0).length, slow.length / 2);
});

test('bursts lie within five minutes, with pauses of 15 to 90 s between them', () => {
  for (const { bursts } of PLANS) {
    assert.ok(bursts.length > 1);
    for (const [index, { from, until }] of bursts.entries()) {
      assert.ok(from < until && from >= FROM_MS && until <= FROM_MS + SLOW_WORK_MS);
      const before = bursts[index - 1];
      if (!before) continue;
      const pauseMs = from - before.until;
      assert.ok(pauseMs >= 15_000 && pauseMs <= 90_000, `a pause of ${pauseMs} ms`);
    }
  }
});

test('a process is without the store for 20 s at most', () => {
  const lost = PLANS.flatMap(({ lostStores }) => lostStores.map(({ forMs }) => forMs));
  assert.ok(lost.length > SEEDS.length);
  assert.ok(Math.max(...lost) <= 20_000);
});

test('two outages of one subscriber have more than 60 s of silence between them', () => {
  const pairs = PLANS.flatMap(({ outages: [first, second] }) =>
    first && second ? [{ first, second }] : [],
  );
  assert.ok(pairs.length > SEEDS.length / 4);
  for (const { first, second } of pairs) {
    assert.equal(first.subscriber, second.subscriber);
    assert.ok(second.from - first.until > 60_000);
  }
});
