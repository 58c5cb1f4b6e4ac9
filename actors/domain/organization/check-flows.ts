/**
 * Check of the flows that an `apply` writes: unreadable templates, variables that can never have a
 * value, and references to missing things. It uses the organization as it is after the whole file.
 * Each problem names flow, step and field.
 *
 * 1. Variables that a template sets itself pass. So does everything inside a contact's fields and
 *    inside answers of `http` steps.
 */

import { templateProblem, variablesOf } from '../../../shared/liquid/template.ts';
import type { FlowPlace, Problem, ProblemAt } from '../../../shared/problems/provisioning.ts';
import { stepLocationOf } from '../../../shared/provisioning/flow.ts';
import { isLiteralField } from '../../../shared/provisioning/flow-content.ts';
import { isOwnHeader } from '../../../shared/provisioning/flow-headers.ts';
import { unknownName } from '../../../shared/provisioning/nearest.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import { foldTag } from '../../../shared/text/fold-tag.ts';
import { fold } from '../flow/conditions.ts';
import { liquidFault } from '../flow/liquid-faults.ts';
import {
  LISTS,
  type Reference,
  type Referring,
  referencesOf,
  type Written,
} from '../flow/references.ts';
import {
  type AnsweringFlow,
  type Answers,
  emptyFlowScope,
  type FlowScope,
  flowScopes,
} from '../flow/scope.ts';
import { indexOr, variableProblem } from '../flow/variables.ts';
import type { Entry, StageEntry } from '../organization.ts';
import { stageNamed } from '../stage-names.ts';
import type { Applying, WantedEntry } from './context.ts';

type Named = Pick<Entry, 'id' | 'ref'>;

/** Entries and tags that flows may name after the whole file; removed ones are excluded. */
export interface Nameable {
  readonly members: readonly Named[];
  readonly files: readonly Named[];
  readonly flows: readonly NameableFlow[];
  /** In the order in which a name is looked for, former names included. */
  readonly stages: readonly Pick<StageEntry, 'id' | 'name'>[];
  /** Names of the stages of today. */
  readonly stageNames: readonly string[];
  readonly tags: readonly string[];
  /** Refs and ids of channels at the network without templates and buttons. */
  readonly webChannels: ReadonlySet<string>;
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
export type WrittenFlow = Referring &
  WantedEntry & { readonly channel?: string | null | undefined };

/** `channel`: the ref or id of the only one that the flow runs in. */
export interface NameableFlow extends AnsweringFlow {
  readonly channel: string | null;
}

export function checkFlows(
  applying: Applying,
  nameable: Nameable,
  wanted: readonly EntryAtPath<WrittenFlow>[],
): void {
  const scopes = flowScopes(nameable.flows);
  const { members, files, flows, tags } = nameable;
  const names: Names = {
    nameable,
    entries: { member: refsAndIds(members), file: refsAndIds(files), flow: refsAndIds(flows) },
    tags: new Set(tags.map(foldTag)),
    looseTags: new Set(tags.map(fold)),
  };
  for (const { path, entry } of wanted) {
    if (entry.remove === true) continue;
    const flow = nameable.flows.find(({ ref }) => ref === entry.ref);
    const scope = scopes.get(flow?.id ?? '') ?? emptyFlowScope();
    const steps = entry.steps ?? [];
    const found = [
      ...badTemplates(steps, scope.answers),
      ...ownHeaders(steps, applying.context.eventHeaderPrefix),
      ...badReferences(entry, names, scope),
      ...(nameable.webChannels.has(flow?.channel ?? '') ? notOnWeb(steps) : []),
    ];
    for (const each of found) {
      const params = { place: locationIn(entry.ref, steps, each.path), problem: each.problem };
      applying.issues.push({ path: `${path}.${each.path}`, problem: { code: 'inFlow', params } });
    }
  }
}

function refsAndIds(entries: readonly Named[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ id, ref }) => [id, ref]));
}

/** `flow "welcome", step "ask", next`; a trigger by its path. */
export function locationIn(flow: string, steps: readonly Written[], path: string): FlowPlace {
  const [list, ...rest] = path.split('.');
  if (list === 'steps') return stepLocationOf(flow, steps, rest.join('.'));
  return { flow, step: null, field: path };
}

/** A `Map`: `do: constructor` is written by mistake as easily as any other word. */
const TEMPLATES: ReadonlyMap<string, readonly string[]> = new Map([
  ['send', ['text', 'template', 'interactive', 'location', 'contacts', 'fallbackTemplate']],
  ['set', ['fields']],
  ['deal', ['title']],
  ['task', ['title', 'notes']],
  ['http', ['url', 'headers', 'body']],
  ['handoff', ['note']],
]);

function badTemplates(steps: readonly Written[], answers: Answers): readonly ProblemAt[] {
  return steps.flatMap((step, index) =>
    (TEMPLATES.get(String(step.do)) ?? [])
      .flatMap((field) => templatesIn(field, step[field]))
      .flatMap(([field, template]) =>
        problemsOf(template, answers).map((problem) => {
          return { path: `steps.${index}.${field}`, problem };
        }),
      ),
  );
}

/** A template, or those inside of an object or a list. */
function templatesIn(field: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (typeof value !== 'object' || value === null) return [];
  const holder = field.slice(field.lastIndexOf('.') + 1);
  return Object.entries(value).flatMap(([name, each]) =>
    isLiteralField(holder, name) ? [] : templatesIn(`${field}.${name}`, each),
  );
}

/** A stored flow may have them: they are left out of its calls. */
function ownHeaders(steps: readonly Written[], eventPrefix: string): readonly ProblemAt[] {
  return steps.flatMap(({ do: action, headers }, index) =>
    Object.keys(action === 'http' ? Object(headers) : {})
      .filter((name) => isOwnHeader(name, eventPrefix))
      .map((name) => {
        const path = `steps.${index}.headers.${name}`;
        return { path, problem: { code: 'ownHeader', params: {} } };
      }),
  );
}

const NOT_ON_WEB = ['template', 'interactive'] as const;

/** Content that the network of the flow's only channel does not have. */
function notOnWeb(steps: readonly Written[]): readonly ProblemAt[] {
  return steps.flatMap((step, index) =>
    NOT_ON_WEB.filter((field) => step.do === 'send' && step[field] !== undefined).map((field) => {
      const problem = { code: 'notOnWeb', params: { content: field } } as const;
      return { path: `steps.${index}.${field}`, problem };
    }),
  );
}

/** Distinct problems of a template. */
function problemsOf(template: string, answers: Answers): readonly Problem[] {
  const unread = templateProblem(template);
  if (unread !== null) {
    return [{ code: 'notTemplate', params: { fault: liquidFault(unread) } }];
  }
  const problems = variablesOf(template).flatMap((path) => variableProblem(path, answers) ?? []);
  return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
}

function badReferences(flow: WrittenFlow, names: Names, scope: FlowScope): readonly ProblemAt[] {
  return referencesOf(flow).flatMap((reference) => {
    const problem = referenceProblem(reference, names, scope);
    return problem === null ? [] : [{ path: reference.path, problem }];
  });
}

function referenceProblem(
  { kind, name, loose }: Reference,
  { nameable, entries, tags, looseTags }: Names,
  { answers, choices }: FlowScope,
): Problem | null {
  switch (kind) {
    case 'member':
    case 'file':
    case 'flow': {
      const known = () => nameable[LISTS[kind]].map(({ ref }) => ref);
      return entries[kind].has(name) ? null : unknownName(kind, name, known());
    }
    case 'stage': {
      const { stages, stageNames } = nameable;
      return stageNamed(name, stages) === null ? unknownName(kind, name, stageNames) : null;
    }
    case 'tag': {
      if (loose ? looseTags.has(fold(name)) : tags.has(foldTag(name))) return null;
      return unknownName(kind, name, nameable.tags);
    }
    case 'answer':
      return variableProblem(['answers', ...name.split('.').map(indexOr)], answers);
    case 'choice':
      return choices.has(name) ? null : unknownName('choice', name, [...choices]);
    default:
      return kind satisfies never;
  }
}

/** Steps write a tag with its accents; conditions and triggers compare without accents. */
export function isTag({ name, loose }: Pick<Reference, 'name' | 'loose'>, tag: string): boolean {
  return loose ? fold(tag) === fold(name) : foldTag(tag) === foldTag(name);
}
