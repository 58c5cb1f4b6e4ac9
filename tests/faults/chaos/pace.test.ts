import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace } from './program/pace.ts';

const BASE_MS = 100;

function paceAfter(pace: number, answersMs: number): Pace {
  const made = new Pace(pace);
  for (let call = 0; call < 200; call++) made.took(answersMs);
  return made;
}

test('a pause lasts as the pace says, however long answers take', () => {
  assert.equal(new Pace(1).msOf(BASE_MS), BASE_MS);
  assert.equal(paceAfter(4, 9_000).msOf(BASE_MS), 4 * BASE_MS);
});

test('after the last fault long answers make long pauses, up to 10 s', () => {
  for (const [answersMs, pauseMs] of [
    [20, 400],
    [1_000, 3_000],
    [9_000, 10_000],
  ] as const) {
    const pace = paceAfter(4, 12_000);
    pace.healed();
    for (let call = 0; call < 200; call++) pace.took(answersMs);
    assert.equal(Math.round(pace.msOf(BASE_MS)), pauseMs);
  }
});

test('a run that has the machine for itself never asks less', () => {
  const pace = new Pace(1);
  pace.healed();
  pace.took(9_000);
  assert.equal(pace.msOf(BASE_MS), BASE_MS);
});
