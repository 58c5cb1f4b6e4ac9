/**
 * References of a flow: the names in its triggers, steps and conditions, with their paths. Steps
 * are read as written: a value of another shape is not a reference.
 */
import { FLOW_CONDITION_DEPTH_MAX } from '../../../shared/limits.ts';
import type { Entry, FlowEntry, OrganizationState } from '../organization.ts';

export type Written = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly kind: 'member' | 'file' | 'flow' | 'tag' | 'stage' | 'answer' | 'choice';
  readonly name: string;
  /** Path from the flow: `steps.1.member`. */
  readonly path: string;
  /** A tag that is compared without accents. */
  readonly loose?: true;
}

export interface Referring {
  readonly triggers?: readonly Written[] | undefined;
  readonly steps?: readonly Written[] | undefined;
}

const NAMED = [
  ['member', 'member'],
  ['assignee', 'member'],
  ['flow', 'flow'],
  ['file', 'file'],
] as const;

/** Templates of a `send` step, whose header may be a file. */
const TEMPLATES = ['template', 'fallbackTemplate'] as const;

/** The list of an organization that has the entries of a kind. */
export const LISTS = { member: 'members', file: 'files', flow: 'flows' } as const;

export function referencesOf({ triggers = [], steps = [] }: Referring): readonly Reference[] {
  return [
    ...triggers.flatMap(({ on, tag }, index) =>
      on === 'tag' ? looseTag(tag, `triggers.${index}.tag`) : [],
    ),
    ...steps.flatMap((step, index) => referencesOfStep(step, `steps.${index}`)),
  ];
}

function referencesOfStep(step: Written, path: string): readonly Reference[] {
  const { tags, stage, cases } = step;
  return [
    ...NAMED.flatMap(([field, kind]) => named(kind, step[field], `${path}.${field}`)),
    ...TEMPLATES.flatMap((field) =>
      named('file', headerFileOf(step[field]), `${path}.${field}.header.file`),
    ),
    ...(step.do === 'deal' ? named('stage', stage, `${path}.stage`) : []),
    ...listOf(tags).flatMap((tag, index) => named('tag', tag, `${path}.tags.${index}`)),
    ...listOf(cases).flatMap((each, index) =>
      isWritten(each) ? referencesOfCondition(each.when, `${path}.cases.${index}.when`) : [],
    ),
  ];
}

function headerFileOf(template: unknown): unknown {
  const header = isWritten(template) ? template.header : undefined;
  return isWritten(header) ? header.file : undefined;
}

function referencesOfCondition(condition: unknown, path: string, depth = 0): readonly Reference[] {
  if (!isWritten(condition) || depth > FLOW_CONDITION_DEPTH_MAX) return [];
  const { tag, answer, chosen, all, any, not } = condition;
  return [
    ...looseTag(tag, `${path}.tag`),
    ...named('answer', answer, `${path}.answer`),
    ...named('choice', chosen, `${path}.chosen`),
    ...Object.entries({ all, any }).flatMap(([name, list]) =>
      listOf(list).flatMap((each, index) =>
        referencesOfCondition(each, `${path}.${name}.${index}`, depth + 1),
      ),
    ),
    ...referencesOfCondition(not, `${path}.not`, depth + 1),
  ];
}

function named(kind: Reference['kind'], name: unknown, path: string): readonly Reference[] {
  return typeof name === 'string' ? [{ kind, name, path }] : [];
}

function looseTag(name: unknown, path: string): readonly Reference[] {
  return named('tag', name, path).map((reference) => ({ ...reference, loose: true }));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isWritten(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Compiles steps for runs: a ref becomes an id, so that a version keeps its meaning when entries
 * change. A ref has precedence over an id; an unknown name stays as it is.
 */
export function compileSteps({ steps }: FlowEntry, organization: OrganizationState): Written[] {
  const idOf = (kind: keyof typeof LISTS, name: unknown): unknown => {
    const entries: readonly Entry[] = organization[LISTS[kind]];
    return entries.find(({ ref }) => ref === name)?.id ?? name;
  };
  return steps.map((step) => {
    const compiled: Record<string, unknown> = { ...step };
    for (const [field, kind] of NAMED) {
      if (field in step) compiled[field] = idOf(kind, step[field]);
    }
    for (const field of TEMPLATES) {
      const file = headerFileOf(step[field]);
      if (file === undefined) continue;
      compiled[field] = { ...Object(step[field]), header: { file: idOf('file', file) } };
    }
    return compiled;
  });
}
