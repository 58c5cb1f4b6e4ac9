/** Periodic work never ends with a failure of one run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPeriodically } from '../../../actors/runtime/periodic.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { settle } from './settle.ts';

function broken(): never {
  throw new Error('broken');
}

test('periodic work is repeated after every way in which a run can end', async () => {
  const clock = new ManualClock();
  const ends: (() => Promise<void>)[] = [
    async () => undefined,
    async () => broken(),
    () => broken(),
    () => new Promise((resume) => void clock.after(5_000, resume)),
  ];
  let runs = 0;
  runPeriodically(
    { clock, log: SILENT },
    {
      ...{ firstMs: 10, everyMs: () => 1_000, failed: 'failed' },
      run: () => ends[runs++ % ends.length]?.() ?? Promise.resolve(),
    },
  );
  const after = async (ms: number): Promise<number> => {
    clock.advance(ms);
    await settle();
    return runs;
  };
  assert.deepEqual([await after(10), await after(1_000), await after(1_000)], [1, 2, 3]);
  assert.deepEqual([await after(1_000), await after(4_999)], [4, 4], 'one run at a time');
  assert.deepEqual([await after(1), await after(1_000)], [4, 5]);
});
