/** Runs its share of a batch's seeds. */
import { parentPort, workerData } from 'node:worker_threads';
import type { SeedReport } from './batch.ts';
import { simulate } from './simulate.ts';

/** Every so many seeds are run twice, to see that they replay identically. */
const REPLAY_EVERY = 20;

for (const seed of workerData as readonly number[]) {
  const outcome = await simulate(seed);
  const { digest } = outcome;
  const replayed = seed % REPLAY_EVERY !== 0 || (await simulate(seed)).digest === digest;
  const { violations, coverage, calls, events, virtualMs } = outcome;
  const report: SeedReport = {
    seed,
    violations,
    coverage: [...coverage],
    calls,
    events,
    virtualMs,
    replayed,
    digest,
  };
  parentPort?.postMessage(report);
}
