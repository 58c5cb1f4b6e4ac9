/**
 * Audit entry of an `apply` that a person asks in the panel. It stands in the state that is
 * committed with the change. An `apply` of the command line has none, as its files have no author.
 */
import type { AuditEntry, AuditSubject } from '../../../shared/wire/audit.ts';
import type { OrganizationContext } from './context.ts';
import type { FlowEntry, OrganizationState } from './state.ts';

interface Applied {
  readonly before: OrganizationState | null;
  readonly commandId: string;
  readonly context: Pick<OrganizationContext, 'by' | 'ids' | 'now'>;
}

/** The state with the entry of its change; without a person, as it is. */
export function withAuditOf(applied: Applied, after: OrganizationState): OrganizationState {
  const { before, commandId, context } = applied;
  const { by, ids, now } = context;
  const { audit: _written, ...state } = after;
  if (!by) return state;
  const entry: AuditEntry = {
    id: ids.derive('aud', commandId, 'apply'),
    at: now,
    by,
    ...changeOf(before, after),
  };
  return { ...state, audit: [entry] };
}

/** The one flow that has changed, else the organization. */
function changeOf(
  before: OrganizationState | null,
  after: OrganizationState,
): { readonly subject: AuditSubject; readonly details: Readonly<Record<string, string>> } {
  const known = new Set<FlowEntry>(before?.flows);
  const [flow, ...others] = after.flows.filter((each) => !known.has(each));
  if (!flow || others.length > 0) {
    return { subject: { kind: 'organization', id: after.id }, details: { ref: after.ref } };
  }
  const { ref, name, enabled, steps } = flow;
  const details = { ref, name, enabled: String(enabled), steps: String(steps.length) };
  return { subject: { kind: 'flow', id: flow.id }, details };
}
