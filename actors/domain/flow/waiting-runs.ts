/** How many runs of each flow there are, and at which of its steps they wait. */
import type { Run } from '../flow-run.ts';

export interface FlowRuns {
  readonly running: number;
  /** By the step's id; a run of an earlier version may wait at one that is gone. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** By the flow's id; flows without runs are left out. */
export type WaitingRuns = ReadonlyMap<string, FlowRuns>;

export function countRuns(runs: Iterable<Pick<Run, 'flowId' | 'stepId'>>): WaitingRuns {
  const byFlow = Map.groupBy(runs, ({ flowId }) => flowId);
  return new Map(
    [...byFlow].map(([flowId, own]) => {
      const steps = Map.groupBy(own, ({ stepId }) => stepId);
      const waiting = Object.fromEntries([...steps].map(([step, there]) => [step, there.length]));
      return [flowId, { running: own.length, waiting }];
    }),
  );
}
