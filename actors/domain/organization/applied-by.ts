/**
 * Audit entry of an `apply`, by a person in the panel or by the operator's command line. It stands
 * in the state that is committed with the change. An `apply` that changes nothing has none.
 */
import type { AuditEntry, AuditSubject } from '../../../shared/wire/audit.ts';
import type { OrganizationState } from '../organization.ts';
import { NO_TAG_CHANGES, type TagChanges } from '../tags.ts';
import type { OrganizationContext } from './context.ts';
import { allChanges } from './written.ts';

/** Names of changed entries in one audit entry. */
const NAMED_MAX = 20;

interface Applied {
  readonly before: OrganizationState | null;
  readonly commandId: string;
  readonly context: Pick<OrganizationContext, 'by' | 'ids' | 'now'>;
}

/** The state with the entry of its change; without an author, as it is. */
export function withAuditOf(applied: Applied, after: OrganizationState): OrganizationState {
  const { audit: _written, ...state } = after;
  const entry = entryOf(applied, changeOf(applied.before, after));
  return entry ? { ...state, audit: [entry] } : state;
}

/** The entry of an `apply` that changes tags alone, which are documents of their own. */
export function auditOfTags(
  applied: Applied,
  { id, ref }: OrganizationState,
  { add, remove }: TagChanges,
): AuditEntry | null {
  const changed = named([...add, ...remove].map((tag) => `tags.${tag}`));
  if (changed === '') return null;
  return entryOf(applied, { subject: { kind: 'organization', id }, details: { ref, changed } });
}

type Change = Pick<AuditEntry, 'subject' | 'details'>;

function entryOf({ commandId, context: { by, ids, now } }: Applied, change: Change) {
  return by ? { id: ids.derive('aud', commandId, 'apply'), at: now, by, ...change } : null;
}

/** The flow, where nothing else has changed; else the organization with the changed entries. */
function changeOf(before: OrganizationState | null, after: OrganizationState): Change {
  const changes = allChanges(before, after, NO_TAG_CHANGES);
  const names = changes.map(({ path, list, ref }) => (list === null ? path : `${list}.${ref}`));
  const [name, ...others] = new Set(names);
  const flow = after.flows.find((each) => `flows.${each.ref}` === name);
  if (!flow || others.length > 0) {
    const subject: AuditSubject = { kind: 'organization', id: after.id };
    return { subject, details: { ref: after.ref, changed: named(names) } };
  }
  const { ref, enabled, steps } = flow;
  if (flow.removed === true) {
    const details = { ref, name: flow.name, removed: 'true' };
    return { subject: { kind: 'flow', id: flow.id }, details };
  }
  const details = { ref, name: flow.name, enabled: String(enabled), steps: String(steps.length) };
  return { subject: { kind: 'flow', id: flow.id }, details };
}

function named(names: readonly string[]): string {
  const distinct = [...new Set(names)].filter((name) => name !== '');
  const more = distinct.length > NAMED_MAX ? ['…'] : [];
  return [...distinct.slice(0, NAMED_MAX), ...more].join(' ');
}
