/** Sweeps calls and records of commands that count for nothing any more, in every process. */
import { sweepCompleted } from '../outbox/completed.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import { sweepCalls } from './calls.ts';

const SWEEP_EVERY_MS = 10 * 60 * 1000;

/** Goes on as long as the process lives: a sweep that failed is made up for by the next. */
export function keepSweeping(world: Pick<World, 'store' | 'clock' | 'log'>): void {
  world.clock.after(SWEEP_EVERY_MS, () => {
    Promise.all([sweepCalls(world), sweepCompleted(world)])
      .catch((cause: unknown) => {
        world.log.warn({ error: describe(cause) }, 'could not sweep calls and commands');
      })
      .finally(() => keepSweeping(world));
  });
}
