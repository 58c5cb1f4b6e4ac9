/**
 * What an `apply` has to say of a flow's steps once the organization is known: templates that
 * cannot be read, and names that nobody has. Each problem names flow, step and field.
 */
import { placeOf } from '../../../shared/provisioning/flow.ts';
import type { Placed } from '../../../shared/provisioning/organization.ts';
import type { ProvisionedFlow } from '../../../shared/provisioning/schema.ts';
import type { Applying } from '../organization-context.ts';
import type { OrganizationState } from '../organization-state.ts';
import { templateProblem } from './template.ts';

type Lists = Pick<OrganizationState, 'members' | 'flows' | 'files'>;
type Step = Readonly<Record<string, unknown>>;

interface Found {
  readonly field: string;
  readonly message: string;
}

export function checkFlows(
  applying: Applying,
  lists: Lists,
  wanted: readonly Placed<ProvisionedFlow>[],
): void {
  for (const { path, entry } of wanted) {
    const steps = entry.remove === true ? [] : (entry.steps ?? []);
    for (const [index, step] of steps.entries()) {
      for (const { field, message } of [...badTemplates(step), ...badNames(step, lists)]) {
        const place = `${index}.${field}`;
        applying.issues.push({
          path: `${path}.steps.${place}`,
          message: `${placeOf(entry.ref, steps, place)}: ${message}`,
        });
      }
    }
  }
}

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  send: ['text'],
  set: ['fields'],
  deal: ['title'],
  task: ['title', 'notes'],
  http: ['url', 'headers', 'body'],
  handoff: ['note'],
};

function badTemplates(step: Step): readonly Found[] {
  const fields = TEMPLATES[String(step.do)] ?? [];
  return fields
    .flatMap((field) => templatesIn(field, step[field]))
    .flatMap(([field, template]) => {
      const problem = templateProblem(template);
      return problem === null ? [] : [{ field, message: `is no template: ${problem}` }];
    });
}

/** A template, or an object of them. */
function templatesIn(field: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[field, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'string' ? [[`${field}.${name}`, each] as const] : [],
  );
}

const NAMES = [
  ['member', 'members', 'member'],
  ['assignee', 'members', 'member'],
  ['flow', 'flows', 'flow'],
  ['file', 'files', 'file'],
] as const;

function badNames(step: Step, lists: Lists): readonly Found[] {
  return NAMES.flatMap(([field, list, what]) => {
    const name = step[field];
    if (typeof name !== 'string') return [];
    const known = lists[list].some(
      ({ id, ref, removed }) => removed !== true && (ref === name || id === name),
    );
    return known ? [] : [{ field, message: `no ${what} has the ref "${name}"` }];
  });
}
