/**
 * Checks of a flow's graph: every step is reachable from the first one, and every cycle contains a
 * step that waits.
 */
import type { Problem } from '../problems/provisioning.ts';
import type { FlowStep } from './flow-steps.ts';

export interface StepProblem {
  /** Of the step in the list. */
  readonly index: number;
  readonly field: string;
  readonly problem: Problem;
}

interface Edge {
  readonly field: string;
  readonly target: string | null;
}

/** Every way on from a step. */
function edgesOf(step: FlowStep): readonly Edge[] {
  switch (step.do) {
    case 'end':
    case 'handoff':
    case 'start':
      return [];
    case 'choose':
      return [
        ...step.cases.map(({ next }, index) => ({ field: `cases.${index}.next`, target: next })),
        { field: 'else', target: step.else },
      ];
    case 'wait':
      return [{ field: 'next', target: step.next }, ...edge('onTimeout', step.onTimeout)];
    case 'send':
    case 'http':
      return [{ field: 'next', target: step.next }, ...edge('onError', step.onError)];
    default:
      return edge('next', step.next);
  }
}

function edge(field: string, target: string | null | undefined): readonly Edge[] {
  return target === undefined ? [] : [{ field, target }];
}

/** Time passes at these: a loop through one of them does not spin. */
const WAITING: ReadonlySet<string> = new Set(['wait', 'delay']);

/** The graph problems of steps whose own properties and pointers are valid. */
export function graphProblems(steps: readonly FlowStep[]): readonly StepProblem[] {
  return [...unreachable(steps), ...busyLoops(steps), ...idleTyping(steps)];
}

function unreachable(steps: readonly FlowStep[]): readonly StepProblem[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const reached = new Set<string>();
  const open = steps[0] ? [steps[0]] : [];
  for (let step = open.pop(); step; step = open.pop()) {
    if (reached.has(step.id)) continue;
    reached.add(step.id);
    for (const { target } of edgesOf(step)) {
      const next = target === null ? undefined : byId.get(target);
      if (next) open.push(next);
    }
  }
  return steps.flatMap(({ id }, index) =>
    reached.has(id) ? [] : [{ index, field: 'id', problem: { code: 'unreachable', params: {} } }],
  );
}

/** Depth first over the steps that do not wait; a step met again on its own path closes a loop. */
function busyLoops(steps: readonly FlowStep[]): readonly StepProblem[] {
  const places = new Map(steps.map((step, index) => [step.id, index]));
  const done = new Set<number>();
  const path = new Set<number>();
  const problems: StepProblem[] = [];
  const visit = (index: number): void => {
    const step = steps[index];
    if (!step || done.has(index) || WAITING.has(step.do)) return;
    path.add(index);
    for (const { field, target } of edgesOf(step)) {
      const next = target === null ? undefined : places.get(target);
      if (next === undefined) continue;
      if (target !== null && path.has(next)) {
        const problem = { code: 'busyLoop', params: { step: target } } as const;
        problems.push({ index, field, problem });
      } else visit(next);
    }
    path.delete(index);
    done.add(index);
  };
  for (const index of steps.keys()) visit(index);
  return problems;
}

/** Typing that no message ends. */
function idleTyping(steps: readonly FlowStep[]): readonly StepProblem[] {
  const sends = new Set(steps.filter((step) => step.do === 'send').map(({ id }) => id));
  return steps.flatMap((step, index) =>
    step.do === 'delay' && step.typing === true && !sends.has(step.next ?? '')
      ? [{ index, field: 'typing', problem: { code: 'idleTyping', params: {} } }]
      : [],
  );
}
