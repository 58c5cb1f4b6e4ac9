/**
 * Events of a contact's commit: that it was created or changed (D430), and the opt-outs that have
 * come into force. They are part of the commit, under ids that derive from it.
 */
import type { Command } from '../../shared/ports/bus.ts';
import type { Origin } from '../../shared/vocabulary.ts';
import { type OutboxEvent, timestamp } from '../../shared/wire/outbox.ts';
import type { ContactState } from '../domain/contact.ts';
import { changesOf } from '../domain/contact-changes.ts';
import type { Environment } from '../environment.ts';
import type { Audience } from '../organization/audience.ts';
import type { Changed } from './flow-routing.ts';
import { renderContact } from './render.ts';

export interface EventParts {
  readonly environment: Pick<Environment, 'ids' | 'clock'>;
  readonly audience: Pick<Audience, 'isHearing'>;
}

interface Committed {
  /** Null: there was none. */
  readonly before: ContactState | null;
  readonly after: ContactState;
  readonly origin: Origin;
}

/** One at most; none is made where nobody hears it. A contact that leads to another is none. */
export async function changeEvents(
  { environment, audience }: EventParts,
  { before, after, origin }: Committed,
): Promise<readonly OutboxEvent[]> {
  const { id, orgId, version, updatedAt, mergedInto } = after;
  if (mergedInto !== undefined) return [];
  const changed = before === null ? null : changesOf(before, after);
  if (changed?.length === 0) return [];
  const event = changed === null ? 'contact.created' : 'contact.updated';
  if (!(await audience.isHearing(orgId, event))) return [];
  const told = changed === null ? {} : { changed };
  const occurrence = { occurredAt: timestamp(updatedAt), origin };
  const data = { contact: renderContact(after), ...told, ...occurrence };
  return [
    { type: 'event', id: environment.ids.derive('evt', id, event, String(version)), event, data },
  ];
}

/** Those that have come into force by the command. */
export function optOutEvents(
  { environment }: Pick<EventParts, 'environment'>,
  command: Pick<Command, 'id'>,
  { optedOut, stoppedMarketing, accepted, origin }: Changed & { readonly origin: string },
): readonly OutboxEvent[] {
  const { ids, clock } = environment;
  const { optOutAt, marketingOptOutAt = null, version } = accepted;
  const told = (event: string, at: number | null): OutboxEvent => {
    const occurredAt = timestamp(at ?? clock.now());
    const data = { contact: renderContact(accepted), occurredAt, origin };
    return {
      type: 'event',
      id: ids.derive('evt', command.id, event, String(version)),
      event,
      data,
    };
  };
  return [
    ...(optedOut ? [told('contact.opt_out', optOutAt)] : []),
    ...(stoppedMarketing ? [told('contact.marketing_opt_out', marketingOptOutAt)] : []),
  ];
}
