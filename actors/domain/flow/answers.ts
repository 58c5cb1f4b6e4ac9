/**
 * Answers that a run may hold in a flow. Its own steps store some; the run brings the others from
 * each flow that leads to it by `start` steps.
 */
import type { Answers } from './variables.ts';

type Written = Readonly<Record<string, unknown>>;

export interface AnsweringFlow {
  readonly id: string;
  readonly ref: string;
  readonly steps: readonly Written[];
}

/** By id of the flow. */
export function answersByFlow(flows: readonly AnsweringFlow[]): ReadonlyMap<string, Answers> {
  const before = new Map<string, AnsweringFlow[]>(flows.map(({ id }) => [id, []]));
  for (const flow of flows) {
    for (const step of flow.steps) {
      if (step.do !== 'start') continue;
      const over = flows.find(({ ref }) => ref === step.flow) ?? flowOfId(flows, step.flow);
      if (over) before.get(over.id)?.push(flow);
    }
  }
  return new Map(flows.map((flow) => [flow.id, answersOf(flow, before)]));
}

function flowOfId(flows: readonly AnsweringFlow[], id: unknown): AnsweringFlow | undefined {
  return flows.find((each) => each.id === id);
}

function answersOf(
  flow: AnsweringFlow,
  before: ReadonlyMap<string, readonly AnsweringFlow[]>,
): Answers {
  const answers = new Map<string, 'text' | 'any'>();
  const leading = new Set([flow]);
  for (const each of leading) {
    for (const from of before.get(each.id) ?? []) leading.add(from);
    for (const { do: action, saveAs } of each.steps) {
      if (typeof saveAs !== 'string') continue;
      if (action === 'http') answers.set(saveAs, 'any');
      else if (action === 'wait' && !answers.has(saveAs)) answers.set(saveAs, 'text');
    }
  }
  return answers;
}
