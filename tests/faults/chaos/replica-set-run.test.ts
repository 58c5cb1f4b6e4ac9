/**
 * A short run of `npm run chaos -- --replica-set`: whatever a replica set does to writes that no
 * majority has, nothing that was acknowledged is lost, doubled or reordered.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawSetFaults, SET_FAULT_KINDS } from './program/set-faults.ts';
import { LEAST_OF_WORK, QUIET_MS, testShortRun } from './short-run.ts';

const SEED = 461;
const FAULTS_MS = 36_000;
const PACE = 5;
const ONLY = [...SET_FAULT_KINDS, 'kill:actors'];

test('its seed meets the faults that undo writes, and a lost primary', () => {
  const drawn = drawSetFaults({
    seed: SEED,
    lengthMs: FAULTS_MS,
    processes: [],
    links: [],
    only: [],
  });
  const whole = drawn.filter(({ atMs, forMs }) => atMs + forMs < FAULTS_MS).map(({ kind }) => kind);
  for (const kind of ['rollback', 'election', 'write-concern'])
    assert.ok(whole.includes(kind), kind);
});

testShortRun(
  'a replica set that fails loses, doubles and reorders nothing that was acknowledged',
  {
    ...{ seed: SEED, quietMs: QUIET_MS, faultsMs: FAULTS_MS, healedMs: 3_000 },
    ...{ only: ONLY, pace: PACE, mongo: 'replica-set' },
  },
  LEAST_OF_WORK,
);
