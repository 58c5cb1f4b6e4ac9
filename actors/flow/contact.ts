/** Effects of a contact's change on flows: new tags may start one, an opt-out stops all. */

import type { Command } from '../../shared/ports/bus.ts';
import type { OutboxCommand } from '../../shared/wire/outbox.ts';
import type { ContactState } from '../domain/contact.ts';
import type { RouteOptOut, RouteTags } from './commands.ts';

export interface Changed {
  readonly accepted: ContactState;
  readonly optedOut: boolean;
  readonly newTags: readonly string[];
}

/** Commands named after the contact's command and version: a repeated publish does nothing. */
export function routedToFlows(
  { id }: Pick<Command, 'id'>,
  { accepted, optedOut, newTags }: Changed,
  origin: string,
): readonly OutboxCommand[] {
  const { id: contactId, orgId, phone, version } = accepted;
  const to = { kind: 'organization', key: orgId } as const;
  const commands: (RouteTags | RouteOptOut)[] = [];
  // Tags set by a flow start no flow: the result would depend on whether its run has ended yet.
  if (newTags.length > 0 && origin !== 'flow') {
    const type = 'flow-route-tags';
    commands.push({ id: `${id}-tags-${version}`, type, contactId, phone, tags: newTags });
  }
  if (optedOut) {
    const type = 'flow-route-opt-out';
    const at = accepted.optOutAt ?? accepted.updatedAt;
    commands.push({ id: `${id}-out-${version}`, type, contactId, at });
  }
  return commands.map((command) => ({ type: 'command', id: command.id, to, command }));
}
