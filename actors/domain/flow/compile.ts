/**
 * Compiles steps for runs: refs of members, flows and files become ids. A version therefore keeps
 * its meaning when entries change.
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

/** A `ref` has precedence over an id; an unknown name stays as it is. */
function named(step: Written, property: string, entries: readonly Named[]): Written {
  const name = step[property];
  const found = entries.find(({ ref }) => ref === name);
  return typeof name === 'string' && found ? { [property]: found.id } : {};
}
