/** A batch that covered too little says what it has not seen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Coverage, gaps, slowFaults } from './coverage.ts';

const WORLDS = 100;

test('says nothing of a batch that has seen everything often enough', () => {
  const coverage = new Coverage();
  for (const gap of gaps(new Coverage(), WORLDS)) {
    const [what = '', counts = ''] = gap.split(': ');
    coverage.count(what, Number(counts.split(' of ')[1]));
  }
  assert.deepEqual(gaps(coverage, WORLDS), []);
});

test('names each operation, refusal, fault and happening that came about too seldom', () => {
  const all = gaps(new Coverage(), WORLDS);
  for (const what of [
    'operation send: 0 of 50',
    'refusal 409: 0 of 2',
    'fault killed-at-port-call: 0 of 2',
    'happening take-over during a commit: 0 of 1',
    'stream connection replaced: 0 of 1',
  ]) {
    assert.ok(all.includes(what), what);
  }
});

test('counts the worlds of all workers together', () => {
  const [one, other] = [new Coverage(), new Coverage()];
  one.count('operation send', 30);
  other.count('operation send', 30);
  one.add(other.counts);
  assert.ok(!gaps(one, WORLDS).some((gap) => gap.startsWith('operation send:')));
  assert.ok(gaps(other, WORLDS).includes('operation send: 30 of 50'));
});

test('wants every fault in the slow worlds of five hundred, and not of fewer', () => {
  const [few, many] = [gaps(new Coverage(), WORLDS), gaps(new Coverage(), 500)];
  assert.ok(many.includes('slow fault bus-down: 0 of 1'));
  assert.ok(!few.some((gap) => gap.startsWith('slow fault')));
  const coverage = new Coverage();
  coverage.add(
    slowFaults([
      ['fault bus-down', 2],
      ['operation send', 9],
    ]),
  );
  assert.deepEqual([...coverage.counts], [['slow fault bus-down', 2]]);
});
