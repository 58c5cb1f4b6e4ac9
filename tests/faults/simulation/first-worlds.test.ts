/** Fifty simulated worlds, for the first run; `simulation.test.ts` simulates the next ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runBatch } from './batch.ts';

const SEEDS = 50;

test('the invariants hold in each of the first fifty worlds', { timeout: 3_600_000 }, async (t) => {
  const { report, failures } = await runBatch({ from: 1, count: SEEDS });
  for (const line of report) t.diagnostic(line);
  assert.deepEqual(failures, []);
});
