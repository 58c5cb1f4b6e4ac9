/**
 * Steps as runs take them: the names of members and flows that a file uses become the ids which
 * they stand for, so that a version says the same for ever.
 */
import type { FlowEntry, OrganizationState } from '../organization/state.ts';

type Written = Readonly<Record<string, unknown>>;
type Named = { readonly id: string; readonly ref: string; readonly removed?: boolean };

export function compileSteps(flow: FlowEntry, organization: OrganizationState): readonly Written[] {
  const { members, flows, files } = organization;
  return flow.steps.map((step) => ({
    ...step,
    ...named(step, 'member', members),
    ...named(step, 'assignee', members),
    ...named(step, 'flow', flows),
    ...named(step, 'file', files),
  }));
}

/** A `ref` wins over an id; what names nobody stays as it is. */
function named(step: Written, property: string, entries: readonly Named[]): Written {
  const name = step[property];
  const found = entries.find(({ ref }) => ref === name);
  return typeof name === 'string' && found ? { [property]: found.id } : {};
}
