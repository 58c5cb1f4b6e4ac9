/**
 * What can be told about a flow's steps from their structure alone: every step has an id of its
 * own and a known `do`, and whatever names a following step names one that exists.
 */
import type { Issue } from '../failures.ts';

const STEP_ACTIONS = [
  'send',
  'wait',
  'choose',
  'delay',
  'set',
  'tag',
  'untag',
  'opt',
  'assign',
  'deal',
  'task',
  'http',
  'start',
  'handoff',
  'end',
] as const;

export type WrittenStep = Readonly<Record<string, unknown>>;

const KNOWN_ACTIONS: ReadonlySet<unknown> = new Set(STEP_ACTIONS);
const STEP_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** `next`, `onTimeout`, `onError`, …, `else`: values are ids of steps. */
const POINTER = /^(?:next|else|otherwise|on[A-Z]\w*)$/;

/** Lists whose items lead on to a step of their own. */
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

function actionIssue(action: unknown, path: string): Issue | null {
  if (KNOWN_ACTIONS.has(action)) return null;
  const message =
    action === undefined
      ? `is required: one of ${STEP_ACTIONS.join(', ')}`
      : `must be one of ${STEP_ACTIONS.join(', ')}`;
  return { path: `${path}.do`, message };
}

/**
 * The problems of a flow's steps; paths start at the list (`0.next`).
 * `null` as a pointer means that the flow ends there.
 */
export function stepIssues(steps: readonly WrittenStep[]): Issue[] {
  const issues: Issue[] = [];
  const places = new Map<string, number>();
  for (const [index, step] of steps.entries()) {
    const { id } = step;
    const path = `${index}.id`;
    if (id === undefined) issues.push({ path, message: 'is required' });
    else if (typeof id !== 'string' || !STEP_ID.test(id)) {
      issues.push({ path, message: 'must be 1 to 64 letters, digits, "-" or "_", as text' });
    } else if (places.has(id)) {
      issues.push({ path, message: `is already the id of step ${places.get(id)}` });
    } else places.set(id, index);
  }
  for (const [index, step] of steps.entries()) {
    const unknownAction = actionIssue(step.do, String(index));
    if (unknownAction) issues.push(unknownAction);
    for (const { path, target } of pointersOf(step, String(index))) {
      if (target === null || (typeof target === 'string' && places.has(target))) continue;
      const message =
        typeof target === 'string' ? `no step has the id "${target}"` : "must be a step's id";
      issues.push({ path, message });
    }
  }
  return issues;
}
