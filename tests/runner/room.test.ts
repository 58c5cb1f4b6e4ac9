/** Room for one more file of tests, by the times of the cores (D208). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreTimesOf, idleShare } from './room.ts';

const NONE = { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 };
const coresWith = (...all: Partial<typeof NONE>[]) =>
  coreTimesOf(all.map((times) => ({ times: { ...NONE, ...times } })));

test('the idle share is that of all cores, and work in the background gives way', () => {
  const before = coresWith({ user: 1_000, idle: 500 }, { sys: 300, idle: 1_200 });
  const now = coresWith({ user: 1_100, idle: 500 }, { sys: 310, nice: 60, idle: 1_230 });
  assert.equal(idleShare(before, now), 90 / 200);
});

test('cores whose times stand still count as idle', () => {
  const times = coresWith({ user: 5, idle: 5 });
  assert.equal(idleShare(times, times), 1);
});
