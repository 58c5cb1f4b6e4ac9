/** Audit entry of a person's change of the organization: part of the state that is committed. */
import type { Command } from '../../../shared/ports/bus.ts';
import type { OrganizationCommand } from '../../../shared/provisioning/commands.ts';
import type { AuditDetails, AuditEntry } from '../../../shared/wire/audit.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import {
  type KeyEntry,
  type OrganizationState,
  type SubscriptionEntry,
  storedTerms,
  termsOf,
} from '../organization.ts';
import type { OrganizationContext } from './context.ts';

/** The next state with its entry; none for a command that no person has asked. */
export function audited(
  { audit: _written, ...next }: OrganizationState,
  { id: commandId }: Pick<Command, 'id'>,
  {
    context: { by, ids, now },
    ...what
  }: { readonly context: Pick<OrganizationContext, 'by' | 'ids' | 'now'> } & Pick<
    AuditEntry,
    'subject' | 'details'
  >,
): OrganizationState {
  if (!by) return next;
  const id = ids.derive('aud', commandId, what.subject.kind, what.subject.id);
  return { ...next, audit: [{ id, at: now, by, ...what }] };
}

/** The subject of a command on keys or subscriptions; null for another one. */
export function auditOf(
  { keys, subscriptions }: OrganizationState,
  command: OrganizationCommand,
): Pick<AuditEntry, 'subject' | 'details'> | null {
  switch (command.type) {
    case 'keys.create': {
      const details = {
        ...{ name: String(command.name), scope: String(command.scope) },
        ...ofKey(keys.find(({ ref }) => ref === command.id)),
      };
      return { subject: { kind: 'key', id: command.id }, details };
    }
    case 'keys.revoke':
      return { subject: { kind: 'key', id: command.keyId }, details: {} };
    case 'subscriptions.create':
      return ofSubscription(subscriptions.find(({ ref }) => ref === command.id));
    case 'subscriptions.change':
      return ofSubscription(subscriptions.find(({ id }) => id === command.subscriptionId));
    case 'subscriptions.rotate':
    case 'subscriptions.enable':
      return { subject: { kind: 'subscription', id: command.subscriptionId }, details: {} };
    default:
      return null;
  }
}

/** What a key may do, unless it is the usual. */
function ofKey(key: KeyEntry | undefined): AuditDetails {
  const { access, expiresAt, assistant } = storedTerms(termsOf(key ?? {}));
  return {
    ...(access === undefined ? {} : { access }),
    ...(expiresAt === undefined ? {} : { expiresAt: timestamp(expiresAt) }),
    ...(assistant === undefined ? {} : { assistant: String(assistant) }),
  };
}

/** Without the address, which may hold a secret. */
function ofSubscription(entry: SubscriptionEntry | undefined) {
  if (!entry) return null;
  const { id, events, enabled } = entry;
  const details = { events: events.join(' '), enabled: String(enabled) };
  return { subject: { kind: 'subscription', id }, details };
}
