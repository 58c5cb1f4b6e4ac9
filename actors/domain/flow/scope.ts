/**
 * Scope of a flow: answers, and ids of buttons and rows, that a run may have in it. The flow's own
 * steps give some; the run brings the others from each flow that leads to it by `start` steps.
 */
import type { FlowEntry } from '../organization.ts';
import { isWritten, type Written } from './references.ts';

/** By name of an answer: the text of a contact, or the JSON of an `http` step. */
export type Answers = ReadonlyMap<string, 'text' | 'any'>;

export interface FlowScope {
  readonly answers: Answers;
  /** Ids of buttons and rows that the contact can press. */
  readonly choices: ReadonlySet<string>;
}

export type AnsweringFlow = Pick<FlowEntry, 'id' | 'ref' | 'steps'>;

/** A flow that no file and no store has. */
export function emptyFlowScope(): FlowScope {
  const [answers, choices] = [new Map<string, 'text'>(), new Set<string>()];
  return { answers, choices };
}

/** By id of the flow. */
export function flowScopes(flows: readonly AnsweringFlow[]): ReadonlyMap<string, FlowScope> {
  const before = new Map<string, AnsweringFlow[]>(flows.map(({ id }) => [id, []]));
  for (const flow of flows) {
    for (const step of flow.steps) {
      if (step.do !== 'start') continue;
      const over =
        flows.find(({ ref }) => ref === step.flow) ?? flows.find(({ id }) => id === step.flow);
      if (over) before.get(over.id)?.push(flow);
    }
  }
  return new Map(flows.map((flow) => [flow.id, flowScopeOf(flow, before)]));
}

function flowScopeOf(
  flow: AnsweringFlow,
  before: ReadonlyMap<string, readonly AnsweringFlow[]>,
): FlowScope {
  const answers = new Map<string, 'text' | 'any'>();
  const choices = new Set<string>();
  const leading = new Set([flow]);
  for (const each of leading) {
    for (const from of before.get(each.id) ?? []) leading.add(from);
    for (const step of each.steps) {
      for (const id of choicesOf(step)) choices.add(id);
      const { do: action, saveAs } = step;
      if (typeof saveAs !== 'string') continue;
      if (action === 'http') answers.set(saveAs, 'any');
      else if (action === 'wait' && !answers.has(saveAs)) answers.set(saveAs, 'text');
    }
  }
  return { answers, choices };
}

/** Ids of the step's buttons and rows; of a template's buttons, the values given to them. */
function choicesOf({ interactive, template, fallbackTemplate }: Written): readonly string[] {
  const rows = listIn(interactive, 'sections').flatMap((section) => listIn(section, 'rows'));
  const pressed = [...listIn(interactive, 'buttons'), ...rows].map((each) => each.id);
  const given = [template, fallbackTemplate].flatMap((each) => listIn(each, 'buttons'));
  return [...pressed, ...given.map(({ value }) => value)].filter((id) => typeof id === 'string');
}

function listIn(value: unknown, field: string): readonly Written[] {
  const list = isWritten(value) ? value[field] : undefined;
  return Array.isArray(list) ? list.filter(isWritten) : [];
}
