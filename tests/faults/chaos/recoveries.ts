/**
 * Recovery times of callers after faults: for every fault and every worker the time to the next
 * answer. It starts at the fault's end, or at the worker's first call after it where it made none
 * before.
 */
import { faultsOf } from './checkers/facts.ts';
import type { History } from './history.ts';

export function recoveriesOf(history: History): readonly number[] {
  const ends = faultsOf(history).map(({ to }) => to);
  return [...workersOf(history)].flatMap((worker) => recoveriesOfOne(worker, ends));
}

/** Calls of one worker, in order. */
type Worker = readonly { readonly t: number; readonly type: string }[];

function workersOf(history: History): Iterable<Worker> {
  const calling = new Set(
    history.filter(({ type }) => type === 'invoke').map(({ process }) => process),
  );
  const mine = history.filter(({ process }) => calling.has(process));
  return Map.groupBy(mine, ({ process }) => process).values();
}

function recoveriesOfOne(worker: Worker, ends: readonly number[]): number[] {
  return ends.flatMap((end) => {
    const next = worker.findIndex(({ t }) => t >= end);
    if (next < 0) return [];
    // A call that was under way then waits from then on.
    const waitsFrom = worker[next]?.type === 'invoke' ? (worker[next]?.t ?? end) : end;
    const answer = worker.slice(next).find(({ type }) => type === 'ok' || type === 'refused');
    return answer === undefined ? [] : [answer.t - waitsFrom];
  });
}
