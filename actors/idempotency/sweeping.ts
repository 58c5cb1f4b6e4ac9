/** Sweeps calls and records of commands that count for nothing any more, in every process. */

import { sweepCompleted } from '../outbox/completed.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import type { World } from '../world.ts';
import { sweepCalls } from './calls.ts';

const SWEEP_EVERY_MS = 10 * 60 * 1000;

/** Goes on as long as the process lives: a sweep that failed is made up for by the next. */
export function keepSweeping(world: Pick<World, 'store' | 'clock' | 'log'>): void {
  runPeriodically(world, {
    firstMs: SWEEP_EVERY_MS,
    everyMs: () => SWEEP_EVERY_MS,
    failed: 'sweep of calls and completed commands failed',
    run: async () => {
      await Promise.all([sweepCalls(world), sweepCompleted(world)]);
    },
  });
}
