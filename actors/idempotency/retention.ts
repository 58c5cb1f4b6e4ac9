/** Sweeps calls and records of commands that count for nothing any more, in every process. */

import type { Environment } from '../environment.ts';
import { purgeCompleted } from '../outbox/completed.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { purgeCalls } from './calls.ts';

const PURGE_EVERY_MS = 10 * 60 * 1000;

/** Goes on as long as the process lives: a sweep that failed is made up for by the next. */
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
