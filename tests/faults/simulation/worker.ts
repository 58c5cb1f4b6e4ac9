/** Runs its share of a batch's seeds. */
import { parentPort, workerData } from 'node:worker_threads';
import { reportOf } from './seed-report.ts';

for (const seed of workerData as readonly number[]) parentPort?.postMessage(await reportOf(seed));
