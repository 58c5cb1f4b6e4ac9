/**
 * Recovery times of callers after faults: for every fault and every worker the time to the next
 * answer. It starts at the fault's end, or at the worker's first call after it where it made none
 * before.
 */
import type { Call, History } from '../checkers/history.ts';

export function recoveriesOf({ calls, faults }: History): readonly number[] {
  const workers = [...Map.groupBy(calls, ({ process }) => process).values()];
  return workers.flatMap((mine) => faults.flatMap(({ to }) => recoveryOf(mine, to)));
}

/** Calls of one worker, in order. */
function recoveryOf(mine: readonly Call[], end: number): readonly number[] {
  const later = mine.filter(({ returnedAt }) => returnedAt >= end);
  const answered = later.find(({ endedAt }) => Number.isFinite(endedAt));
  // A call that was under way then waits from then on.
  const waitsFrom = Math.max(end, later[0]?.startedAt ?? end);
  return answered === undefined ? [] : [answered.endedAt - waitsFrom];
}
