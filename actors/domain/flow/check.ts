/**
 * Check of the flows that an `apply` writes: unreadable templates, variables that can never have a
 * value, and references to missing things. It uses the organization as it is after the whole file.
 * Each problem names flow, step and field.
 *
 * 1. Variables that a template sets itself pass. So does everything inside a contact's fields and
 *    inside answers of `http` steps.
 */
import type { Issue } from '../../../shared/failures.ts';
import { stepLocationOf } from '../../../shared/provisioning/flow.ts';
import { nearest, unknownName } from '../../../shared/provisioning/nearest.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { Applying, WantedEntry } from '../organization/context.ts';
import type { Entry, FlowEntry, StageEntry } from '../organization/state.ts';
import { foldTag } from '../organization/tags.ts';
import { fold } from './conditions.ts';
import { stageNamed } from './effects.ts';
import { LISTS, type Reference, type Referring, referencesOf, type Written } from './references.ts';
import { type Segment, templateProblem, variablesOf } from './template.ts';

type Named = Pick<Entry, 'id' | 'ref'>;

/** Entries and tags that flows may name after the whole file; removed ones are excluded. */
export interface Nameable {
  readonly members: readonly Named[];
  readonly files: readonly Named[];
  readonly flows: readonly AnsweringFlow[];
  readonly stages: readonly StageEntry[];
  readonly tags: readonly string[];
}

/** The same, indexed by name. */
interface Names {
  readonly nameable: Nameable;
  /** Refs and ids. */
  readonly entries: Readonly<Record<'member' | 'file' | 'flow', ReadonlySet<string>>>;
  readonly tags: ReadonlySet<string>;
  readonly looseTags: ReadonlySet<string>;
}

/** A flow of the file with its steps as written, even where they are invalid. */
export type WrittenFlow = Referring & WantedEntry;

export function checkFlows(
  applying: Applying,
  nameable: Nameable,
  wanted: readonly EntryAtPath<WrittenFlow>[],
): void {
  const answers = answersByFlow(nameable.flows);
  const { members, files, flows, tags } = nameable;
  const names: Names = {
    nameable,
    entries: { member: refsAndIds(members), file: refsAndIds(files), flow: refsAndIds(flows) },
    tags: new Set(tags.map(foldTag)),
    looseTags: new Set(tags.map(fold)),
  };
  for (const { path, entry } of wanted) {
    if (entry.remove === true) continue;
    const id = nameable.flows.find(({ ref }) => ref === entry.ref)?.id ?? '';
    const held = answers.get(id) ?? new Map();
    const steps = entry.steps ?? [];
    const found = [...badTemplates(steps, held), ...badReferences(entry, names, held)];
    for (const each of found) {
      const message = `${placeIn(entry.ref, steps, each.path)}: ${each.message}`;
      applying.issues.push({ path: `${path}.${each.path}`, message });
    }
  }
}

function refsAndIds(entries: readonly Named[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ id, ref }) => [id, ref]));
}

/** `flow "welcome", step "ask", next`; a trigger by its path. */
export function placeIn(ref: string, steps: readonly Written[], path: string): string {
  const [list, ...rest] = path.split('.');
  return list === 'steps' ? stepLocationOf(ref, steps, rest.join('.')) : `flow "${ref}", ${path}`;
}

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  send: ['text'],
  set: ['fields'],
  deal: ['title'],
  task: ['title', 'notes'],
  http: ['url', 'headers', 'body'],
  handoff: ['note'],
};

function badTemplates(steps: readonly Written[], answers: Answers): readonly Issue[] {
  return steps.flatMap((step, index) =>
    (TEMPLATES[String(step.do)] ?? [])
      .flatMap((field) => templatesIn(field, step[field]))
      .flatMap(([field, template]) =>
        problemsOf(template, answers).map((message) => {
          return { path: `steps.${index}.${field}`, message };
        }),
      ),
  );
}

/** A template, or an object of templates. */
function templatesIn(field: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'string' ? [[`${field}.${name}`, each] as const] : [],
  );
}

/** Distinct problems of a template. */
function problemsOf(template: string, answers: Answers): readonly string[] {
  const unread = templateProblem(template);
  if (unread !== null) return [`is no template: ${unread}`];
  const problems = variablesOf(template).map((path) => variableProblem(path, answers));
  return [...new Set(problems.filter((problem) => problem !== null))];
}

function badReferences(flow: WrittenFlow, names: Names, answers: Answers): readonly Issue[] {
  return referencesOf(flow).flatMap((reference) => {
    const message = referenceProblem(reference, names, answers);
    return message === null ? [] : [{ path: reference.path, message }];
  });
}

function referenceProblem(
  { kind, name, loose }: Reference,
  { nameable, entries, tags, looseTags }: Names,
  answers: Answers,
): string | null {
  switch (kind) {
    case 'member':
    case 'file':
    case 'flow': {
      const known = () => nameable[LISTS[kind]].map(({ ref }) => ref);
      return entries[kind].has(name) ? null : unknownName(kind, name, known());
    }
    case 'stage': {
      const { stages } = nameable;
      const known = stages.map((stage) => stage.name);
      return stageNamed(name, stages) === null ? unknownName(kind, name, known) : null;
    }
    case 'tag': {
      if (loose ? looseTags.has(fold(name)) : tags.has(foldTag(name))) return null;
      const problem = unknownName(kind, name, nameable.tags);
      return `${problem} (new ones are declared in the organization's tags)`;
    }
    case 'answer':
      return variableProblem(['answers', ...name.split('.').map(indexOr)], answers);
    default:
      return kind satisfies never;
  }
}

/** Steps write a tag with its accents; conditions and triggers compare without accents. */
export function isTag({ name, loose }: Pick<Reference, 'name' | 'loose'>, tag: string): boolean {
  return loose ? fold(tag) === fold(name) : foldTag(tag) === foldTag(name);
}

/** `items.0` reads an index. */
function indexOr(name: string): string | number {
  return /^\d+$/.test(name) ? Number(name) : name;
}

/** Shape of a value: no properties, any properties, a list of texts, or the given names. */
type Shape = 'text' | 'any' | 'texts' | { readonly [name: string]: Shape };

/** By name of an answer: the text of a contact, or the JSON of an `http` step. */
export type Answers = ReadonlyMap<string, 'text' | 'any'>;

/** The result of `scopeOf` (context.ts). */
const SCOPE = {
  contact: {
    ...{ id: 'text', phone: 'text', name: 'text', email: 'text' },
    ...{ fields: 'any', tags: 'texts', optIn: 'text' },
  },
  conversation: {
    ...{ id: 'text', channelId: 'text', status: 'text', assignedTo: 'text' },
    ...{ lastMessage: 'text', createdAt: 'text' },
  },
  org: { name: 'text', timeZone: 'text' },
  now: 'text',
} as const satisfies Shape;

/** Properties that Liquid computes for any list or text. */
const OF_ANY = new Set(['size']);
const OF_LISTS = new Set(['first', 'last']);

/** Why a variable can have no value; null where it can. */
export function variableProblem(path: readonly Segment[], answers: Answers): string | null {
  let shape: Shape = { ...SCOPE, answers: Object.fromEntries(answers) };
  for (const [depth, segment] of path.entries()) {
    if (shape === 'any' || segment === null) return null;
    const within = nameOf(path.slice(0, depth));
    const next = inside(shape, segment);
    if (next === null) return sentenceOf(nameOf(path.slice(0, depth + 1)), within, shape);
    shape = next;
  }
  return null;
}

function inside(shape: Exclude<Shape, 'any'>, segment: string | number): Shape | null {
  if (typeof segment === 'string' && OF_ANY.has(segment)) return 'text';
  if (shape === 'text') return typeof segment === 'number' ? 'text' : null;
  if (shape === 'texts')
    return typeof segment === 'number' || OF_LISTS.has(segment) ? 'text' : null;
  return Object.hasOwn(shape, segment) ? (shape[segment] ?? null) : null;
}

function nameOf(path: readonly Segment[]): string {
  return path.map((segment) => segment ?? '*').join('.');
}

function sentenceOf(name: string, within: string, shape: Exclude<Shape, 'any'>): string {
  if (typeof shape === 'string') return `names no variable "${name}": nothing lies in "${within}"`;
  const known = Object.keys(shape).map((each) => (within === '' ? each : `${within}.${each}`));
  const meant = nearest(name, known) ?? (within === '' ? leafOf(name) : null);
  const others = known.length === 0 ? 'there are none' : `there are: ${known.join(', ')}`;
  return `names no variable "${name}"; ${others}${meant ? `; did you mean "${meant}"?` : ''}`;
}

/** `name` alone most likely means `contact.name`. */
function leafOf(name: string): string | null {
  const root = Object.entries(SCOPE).find(
    ([, shape]) => typeof shape !== 'string' && Object.hasOwn(shape, name),
  );
  return root ? `${root[0]}.${name}` : null;
}

export type AnsweringFlow = Pick<FlowEntry, 'id' | 'ref' | 'steps'>;

/**
 * Answers that a run may hold, by id of its flow. The flow's own steps store some; the run brings
 * the others from each flow that leads to it by `start` steps.
 */
export function answersByFlow(flows: readonly AnsweringFlow[]): ReadonlyMap<string, Answers> {
  const before = new Map<string, AnsweringFlow[]>(flows.map(({ id }) => [id, []]));
  for (const flow of flows) {
    for (const step of flow.steps) {
      if (step.do !== 'start') continue;
      const over =
        flows.find(({ ref }) => ref === step.flow) ?? flows.find(({ id }) => id === step.flow);
      if (over) before.get(over.id)?.push(flow);
    }
  }
  return new Map(flows.map((flow) => [flow.id, answersOf(flow, before)]));
}

function answersOf(flow: AnsweringFlow, before: ReadonlyMap<string, readonly AnsweringFlow[]>) {
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
