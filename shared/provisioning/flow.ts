/**
 * Checks of a flow's steps by themselves. Every step has a unique id and a known `do`, with the
 * properties of that `do`. Every pointer to a following step names an existing one. All steps are
 * reachable, and no loop runs without waiting. The organization's actor checks the rest: members,
 * files, other flows, and the syntax of templates.
 */
import * as v from 'valibot';
import { FLOW_ANSWERS_MAX, FLOW_STEP_ENTRIES_MAX, FLOW_STEPS_MAX } from '../limits.ts';
import type { FlowPlace, Problem, ProblemAt } from '../problems/provisioning.ts';
import { graphProblems } from './flow-graph.ts';
import { type FlowStep, isStepAction, STEP_ACTIONS, STEP_SCHEMAS } from './flow-steps.ts';
import { nearest } from './nearest.ts';
import { problemOf } from './problem-message.ts';

export type WrittenStep = Readonly<Record<string, unknown>>;

const STEP_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** `next`, `onTimeout`, `onError`, …, `else`: values are ids of steps. */
const POINTER = /^(?:next|else|otherwise|on[A-Z]\w*)$/;

/** Lists whose items point to a step of their own. */
const BRANCH_LISTS = ['options', 'choices', 'branches', 'cases'] as const;

interface Pointer {
  readonly path: string;
  readonly target: unknown;
}

function isRecord(value: unknown): value is WrittenStep {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pointersIn(entry: WrittenStep, path: string): Pointer[] {
  return Object.entries(entry)
    .filter(([name]) => POINTER.test(name))
    .map(([name, target]) => ({ path: `${path}.${name}`, target }));
}

function pointersOf(step: WrittenStep, path: string): Pointer[] {
  const branches = BRANCH_LISTS.flatMap((name) => {
    const items = step[name];
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: unknown, index) =>
      isRecord(item) ? pointersIn(item, `${path}.${name}.${index}`) : [],
    );
  });
  return [...pointersIn(step, path), ...branches];
}

function actionIssue(action: unknown, path: string): ProblemAt | null {
  if (isStepAction(action)) return null;
  const code = action === undefined ? 'requiredOneOf' : 'notOneOf';
  return { path: `${path}.do`, problem: { code, params: { names: STEP_ACTIONS } } };
}

function pointerProblem(target: unknown, ids: readonly string[]): Problem {
  if (typeof target !== 'string') return { code: 'notStepName', params: {} };
  return { code: 'noStep', params: { id: target, meant: nearest(target, ids) } };
}

function idProblem(id: unknown, places: ReadonlyMap<string, number>): Problem | null {
  if (id === undefined) return { code: 'required', params: {} };
  if (typeof id !== 'string' || !STEP_ID.test(id)) return { code: 'notStepId', params: {} };
  const index = places.get(id);
  return index === undefined ? null : { code: 'repeatedStepId', params: { index } };
}

/**
 * The problems of a flow's steps; paths start at the list (`0.next`).
 * `null` as a pointer means that the flow ends there.
 */
export function stepIssues(steps: readonly WrittenStep[]): ProblemAt[] {
  const issues: ProblemAt[] = [];
  const places = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    const { id } = step;
    const problem = idProblem(id, places);
    if (problem !== null) issues.push({ path: `${index}.id`, problem });
    else places.set(String(id), index);
  }
  for (const [index, step] of steps.entries()) {
    const unknownAction = actionIssue(step.do, String(index));
    if (unknownAction) issues.push(unknownAction);
    for (const { path, target } of pointersOf(step, String(index))) {
      if (target === null || (typeof target === 'string' && places.has(target))) continue;
      issues.push({ path, problem: pointerProblem(target, [...places.keys()]) });
    }
  }
  return issues;
}

/** Every problem of a flow's steps, each naming flow, step and field; paths start at the list. */
export function flowIssues(ref: string, steps: readonly WrittenStep[]): ProblemAt[] {
  const pointers = stepIssues(steps);
  const found = [...pointers];
  const read: FlowStep[] = [];
  for (const [index, step] of steps.entries()) {
    const result = isStepAction(step.do) ? readStep(step.do, step) : null;
    if (result === null) continue;
    if (result.success) {
      read.push(result.output);
      found.push(...entriesIssues(result.output, index));
    } else found.push(...shapeIssues(result.issues, index));
  }
  found.push(...sizeIssues(read));
  if (found.length === 0) {
    for (const { index, field, problem } of graphProblems(read)) {
      found.push({ path: `${index}.${field}`, problem });
    }
  }
  return found.map(({ path, problem }) => {
    const params = { place: stepLocationOf(ref, steps, path), problem };
    return { path, problem: { code: 'inFlow', params } };
  });
}

function readStep(action: keyof typeof STEP_SCHEMAS, step: WrittenStep) {
  return v.safeParse<v.GenericSchema<unknown, FlowStep>>(STEP_SCHEMAS[action], step);
}

/** One per field, and none for an id: those were judged all together. */
function shapeIssues(issues: readonly v.BaseIssue<unknown>[], index: number): ProblemAt[] {
  const found = new Map<string, ProblemAt>();
  for (const issue of issues) {
    const path = [String(index), ...(issue.path ?? []).map((item) => String(item.key))].join('.');
    if (path === `${index}.id` || found.has(path)) continue;
    found.set(path, { path, problem: problemOf(issue.message) });
  }
  return [...found.values()];
}

/** Values in the objects and lists of a property. */
function entriesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + entriesIn(each), 0);
}

/** Fields, headers and contents. Cases have a limit of their own. */
function entriesIssues(step: FlowStep, index: number): ProblemAt[] {
  let entries = 0;
  for (const [field, value] of Object.entries(step)) {
    if (typeof value !== 'object' || field === 'cases') continue;
    entries += entriesIn(value);
    if (entries <= FLOW_STEP_ENTRIES_MAX) continue;
    const problem = { code: 'tooManyEntries', params: { most: FLOW_STEP_ENTRIES_MAX } } as const;
    return [{ path: `${index}.${field}`, problem }];
  }
  return [];
}

function sizeIssues(steps: readonly FlowStep[]): ProblemAt[] {
  const issues: ProblemAt[] = [];
  if (steps.length > FLOW_STEPS_MAX) {
    const problem = { code: 'tooManySteps', params: { most: FLOW_STEPS_MAX } } as const;
    issues.push({ path: String(FLOW_STEPS_MAX), problem });
  }
  const names = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const name = step.do === 'wait' || step.do === 'http' ? step.saveAs : undefined;
    if (name === undefined) continue;
    names.add(name);
    if (names.size > FLOW_ANSWERS_MAX) {
      const problem = { code: 'tooManyAnswers', params: { most: FLOW_ANSWERS_MAX } } as const;
      issues.push({ path: `${index}.saveAs`, problem });
      break;
    }
  }
  return issues;
}

/** `flow "welcome", step "ask", next` */
export function stepLocationOf(
  flow: string,
  steps: readonly WrittenStep[],
  path: string,
): FlowPlace {
  const [index = '', ...field] = path.split('.');
  const id = steps[Number(index)]?.id;
  const step = typeof id === 'string' ? id : Number(index);
  return { flow, step, field: field.length > 0 ? field.join('.') : null };
}
