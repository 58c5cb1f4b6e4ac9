/** Sweeps the calls that count for nothing any more, from time to time and in every process. */
import { runPeriodically } from '../runtime/periodic.ts';
import type { World } from '../world.ts';
import { sweepCalls } from './calls.ts';

const SWEEP_EVERY_MS = 10 * 60 * 1000;

/** Goes on as long as the process lives: a sweep that failed is made up for by the next. */
export function keepSweeping(world: Pick<World, 'store' | 'clock' | 'log'>): void {
  runPeriodically(world, {
    firstMs: SWEEP_EVERY_MS,
    everyMs: () => SWEEP_EVERY_MS,
    failed: 'sweep of idempotent calls failed',
    run: () => sweepCalls(world),
  });
}
