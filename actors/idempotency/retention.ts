/** Retention of calls and of completed commands: every process sweeps the expired records. */

import type { Environment } from '../environment.ts';
import { purgeCompleted } from '../outbox/completed.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { purgeCalls } from './calls.ts';

const PURGE_EVERY_MS = 10 * 60 * 1000;

/** Runs as long as the process lives: the next sweep repeats a failed one. */
export function startRetention(environment: Pick<Environment, 'store' | 'clock' | 'log'>): void {
  runPeriodically(environment, {
    firstMs: PURGE_EVERY_MS,
    everyMs: () => PURGE_EVERY_MS,
    failed: 'purge of calls and completed commands failed',
    run: async () => {
      await Promise.all([purgeCalls(environment), purgeCompleted(environment)]);
    },
  });
}
