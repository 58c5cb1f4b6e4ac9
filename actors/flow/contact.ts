/** What a contact's change means to flows: new tags may start one, an opt-out stops them all. */

import type { Command } from '../../shared/ports.ts';
import type { OutboxCommand } from '../../shared/wire/outbox.ts';
import type { ContactState } from '../domain/contact.ts';
import type { RouteOptOut, RouteTags } from './commands.ts';

export interface Changed {
  readonly accepted: ContactState;
  readonly optedOut: boolean;
  readonly newTags: readonly string[];
}

/** Named after the contact's command and version: published twice, they start or stop once. */
export function routedToFlows(
  { id }: Pick<Command, 'id'>,
  { accepted, optedOut, newTags }: Changed,
  origin: string,
): readonly OutboxCommand[] {
  const { id: contactId, orgId, phone, version } = accepted;
  const to = { kind: 'organization', key: orgId } as const;
  const commands: (RouteTags | RouteOptOut)[] = [];
  // What a flow tags while it is under way could start nothing: whether it has ended is chance.
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
