/** The judge of the peers suite: what is lost, doubled and out of order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../../../../infra/bench/peers/verdict.ts';

const TWO = { accepted: [0, 1, 2, 3, 4, 5], conversations: 2 };

test('conversations may overtake each other', () => {
  const verdict = verdictOf({ ...TWO, numbers: [1, 0, 3, 5, 2, 4] });
  assert.deepEqual(verdict, { lost: 0, doubled: 0, outOfOrder: 0 });
});

test('an accepted message that never arrives is lost, one that was refused is not', () => {
  const verdict = verdictOf({ ...TWO, accepted: [0, 1, 2], numbers: [0, 1, 3] });
  assert.deepEqual(verdict, { lost: 1, doubled: 0, outOfOrder: 0 });
});

test('a second arrival is a double and says nothing of the order', () => {
  const verdict = verdictOf({ ...TWO, numbers: [0, 1, 2, 0, 3, 4, 5, 5] });
  assert.deepEqual(verdict, { lost: 0, doubled: 2, outOfOrder: 0 });
});

test('a message behind a later one of its conversation is out of order', () => {
  const verdict = verdictOf({ ...TWO, numbers: [2, 0, 4, 5, 1, 3] });
  assert.deepEqual(verdict, { lost: 0, doubled: 0, outOfOrder: 3 });
});
