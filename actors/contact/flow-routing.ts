/** Flows that a change of a contact concerns: new tags may start one, an opt-out stops all. */

import type { Command } from '../../shared/ports/bus.ts';
import { type OutboxCommand, outboxCommand } from '../../shared/wire/outbox.ts';
import type { ContactState } from '../domain/contact.ts';
import type { RouteOptOut, RouteTags } from '../model/flow.ts';

export interface Changed {
  readonly accepted: ContactState;
  readonly optedOut: boolean;
  readonly stoppedMarketing?: boolean;
  readonly newTags: readonly string[];
}

/** Commands named after the contact's command and version: a repeated publish does nothing. */
export function routedToFlows(
  { id }: Pick<Command, 'id'>,
  { accepted, optedOut, newTags }: Changed,
  origin: string,
): readonly OutboxCommand[] {
  const { id: contactId, orgId, phone, version } = accepted;
  const commands: (RouteTags | RouteOptOut)[] = [];
  // Tags set by a flow start no flow: the result would depend on whether its run has ended yet.
  if (newTags.length > 0 && origin !== 'flow') {
    const type = 'flow-route-tags';
    commands.push({ id: `${id}-tags-${version}`, type, contactId, phone, tags: newTags });
  }
  if (optedOut) {
    const at = accepted.optOutAt ?? accepted.updatedAt;
    commands.push({ id: `${id}-out-${version}`, type: 'flow-route-opt-out', contactId, at });
  }
  const to = { kind: 'organization', key: orgId } as const;
  return commands.map((command) => outboxCommand({ to, command }));
}
