/** A call counts once, for the change that it waited for, with the whole of its wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedIn } from '../../../../infra/bench/hand-over/changes.ts';

const WINDOWS = [
  { name: 'joins', from: 1_000, tookMs: 0 },
  { name: 'leaves', from: 2_000, tookMs: 0 },
];

function call(dueAt: number, answeredAt: number, status = 201) {
  return { id: null, status, dueAt, answeredAt };
}

test('a call that was due just before a change counts for the change that held it up', () => {
  const [joins, leaves] = changedIn(WINDOWS, [
    call(900, 950),
    call(1_100, 1_105),
    call(1_400, 2_050),
    call(1_995, 2_300, 500),
    call(2_500, 2_510),
  ]);
  assert.deepEqual(joins, { name: 'joins', tookMs: 0, calls: 2, failed: 0, longestMs: 650 });
  assert.deepEqual(leaves, { name: 'leaves', tookMs: 0, calls: 2, failed: 1, longestMs: 305 });
});
