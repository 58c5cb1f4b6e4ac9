/**
 * Check of the flows that an `apply` writes: unreadable templates, and references to missing
 * things. It uses the organization as it is after the whole file. Each problem names flow, step and
 * field.
 */
import { stepLocationOf } from '../../../shared/provisioning/flow.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { Applying } from '../organization/context.ts';
import type { StageEntry } from '../organization/state.ts';
import { foldTag } from '../organization/tags.ts';
import { unknownName } from '../unknown-name.ts';
import { type AnsweringFlow, answersByFlow } from './answers.ts';
import { fold } from './conditions.ts';
import { stageNamed } from './effects.ts';
import { type Reference, type Referring, referencesOf } from './references.ts';
import { templateProblem, variablesOf } from './template.ts';
import { type Answers, variableProblem } from './variables.ts';

interface Named {
  readonly id: string;
  readonly ref: string;
}

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

type Step = Readonly<Record<string, unknown>>;

/** A flow of the file with its steps as written, even where they are invalid. */
export interface WrittenFlow extends Referring {
  readonly ref: string;
  readonly remove?: boolean;
}

interface Found {
  /** Path from the flow: `steps.1.text`. */
  readonly path: string;
  readonly message: string;
}

export function checkFlows(
  applying: Applying,
  nameable: Nameable,
  wanted: readonly EntryAtPath<WrittenFlow>[],
): void {
  const answers = answersByFlow(nameable.flows);
  const names = namesOf(nameable);
  for (const { path, entry } of wanted) {
    if (entry.remove === true) continue;
    const id = nameable.flows.find(({ ref }) => ref === entry.ref)?.id ?? '';
    const held = answers.get(id) ?? new Map();
    const steps = entry.steps ?? [];
    const found = [...badTemplates(steps, held), ...badReferences(entry, names, held)];
    for (const each of found) {
      const place = placeIn(entry.ref, steps, each.path);
      applying.issues.push({
        path: `${path}.${each.path}`,
        message: `${place}: ${each.message}`,
      });
    }
  }
}

function namesOf(nameable: Nameable): Names {
  const { members, files, flows, tags } = nameable;
  return {
    nameable,
    entries: {
      member: refsAndIds(members),
      file: refsAndIds(files),
      flow: refsAndIds(flows),
    },
    tags: new Set(tags.map(foldTag)),
    looseTags: new Set(tags.map(fold)),
  };
}

function refsAndIds(entries: readonly Named[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ id, ref }) => [id, ref]));
}

/** `flow "welcome", step "ask", next`; a trigger by its path. */
export function placeIn(ref: string, steps: readonly Step[], path: string): string {
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

function badTemplates(steps: readonly Step[], answers: Answers): readonly Found[] {
  return steps.flatMap((step, index) =>
    (TEMPLATES[String(step.do)] ?? [])
      .flatMap((field) => templatesIn(field, step[field]))
      .flatMap(([field, template]) =>
        problemsOf(template, answers).map((message) => ({
          path: `steps.${index}.${field}`,
          message,
        })),
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

function badReferences(flow: WrittenFlow, names: Names, answers: Answers): readonly Found[] {
  return referencesOf(flow).flatMap((reference) => {
    const message = referenceProblem(reference, names, answers);
    return message === null ? [] : [{ path: reference.path, message }];
  });
}

const LISTS = { member: 'members', file: 'files', flow: 'flows' } as const;

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
