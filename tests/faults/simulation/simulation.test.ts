/** The invariants (`I…`) under faults, in many simulated worlds (docs/reliability.md). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runBatch } from './batch.ts';

const SEEDS = 500;

test('the invariants hold in every one of 500 worlds, which cover every fault', {
  timeout: 3_600_000,
}, async (t) => {
  const batch = await runBatch({ from: 1, count: SEEDS });
  for (const line of batch.report) t.diagnostic(line);
  assert.deepEqual(batch.failures, []);
});
