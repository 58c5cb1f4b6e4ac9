/**
 * Changes of a person's ids, which the network reports in place of a message. The network's own
 * sentences are never the contact's words.
 *
 * 1. A new number is a `number-change`, in whichever entry it is reported. The old number is no
 *    alias: networks assign it to another person.
 * 2. Ids alone are an `identity`. The phone beside a changed id may be the old one: it is left out.
 */
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { type JsonRecord, recordAt, secondsAt, textAt } from '../webhook-body.ts';
import { digitsOf, type Person, personOf } from './entries.ts';

type Events = readonly NetworkEvent[];

/** At the sentence's end: the text before it is the name, which the contact chooses. */
const CHANGED_IDS = /changed from (\S+) to (\S+)$/;

/** A `system` message. Empty for those that concern nothing here, null for a malformed one. */
export function systemEvents(now: number, message: JsonRecord): Events | null {
  const system = recordAt(message, 'system');
  switch (textAt(system, 'type')) {
    case 'user_changed_number':
    case 'customer_changed_number':
      return numberChanged(now, message, system);
    case 'user_changed_user_id':
      return userIdChanged(now, message, system);
    default:
      return [];
  }
}

function numberChanged(now: number, message: JsonRecord, system: JsonRecord): Events | null {
  // Newer versions of the API write the new number as `wa_id`, older ones as `new_wa_id`.
  const current = textAt(system, 'new_wa_id') ?? textAt(system, 'wa_id');
  const userId = textAt(system, 'user_id');
  const before = textAt(message, 'from_user_id');
  const from = personOf({
    phone: textAt(system, 'customer') ?? textAt(message, 'from'),
    userIds: [before === userId ? undefined : before],
  });
  const to = personOf({ phone: current, userIds: [userId, textAt(system, 'parent_user_id')] });
  if (from === null || to === null) return null;
  if (from.networkId === to.networkId) return [];
  return [{ type: 'number-change', from, to, at: secondsAt(message, 'timestamp', now) }];
}

function userIdChanged(now: number, message: JsonRecord, system: JsonRecord): Events | null {
  const current = textAt(system, 'user_id');
  const phone = textAt(system, 'wa_id');
  const before = textAt(message, 'from_user_id');
  const previous =
    textAt(system, 'previous_user_id') ??
    (before === current ? undefined : before) ??
    previousOf(textAt(system, 'body'), current);
  const userIds = [current, textAt(system, 'parent_user_id')];
  if (previous === undefined) {
    return identity(personOf({ phone: phone ?? textAt(message, 'from'), userIds }));
  }
  const at = secondsAt(message, 'timestamp', now);
  return replaced({ previous: [previous], phone, userIds }, at);
}

/** Trusted only where the sentence ends with the id that the network reports beside it. */
function previousOf(body: string | undefined, current: string | undefined): string | undefined {
  const [, previous, next] = CHANGED_IDS.exec(body ?? '') ?? [];
  return next === current ? previous : undefined;
}

/** One entry of a `user_id_update`; null for a malformed one. */
export function userIdUpdate(now: number, update: JsonRecord): Events | null {
  const ids = recordAt(update, 'user_id');
  const parents = recordAt(update, 'parent_user_id');
  const previous = [textAt(ids, 'previous'), textAt(parents, 'previous')];
  const userIds = [textAt(ids, 'current'), textAt(parents, 'current')];
  const phone = textAt(update, 'wa_id');
  return replaced({ previous, phone, userIds }, secondsAt(update, 'timestamp', now));
}

interface Replaced {
  readonly previous: readonly (string | undefined)[];
  /** The number of now. */
  readonly phone: string | undefined;
  readonly userIds: readonly (string | undefined)[];
}

/** An id is replaced when its person changes to another number. */
function replaced({ previous, phone, userIds }: Replaced, at: number): Events | null {
  const from = personOf({ phone: undefined, userIds: previous });
  const to = personOf({ phone, userIds });
  if (from === null || to === null) return null;
  if (digitsOf(phone) !== '') return [{ type: 'number-change', from, to, at }];
  return identity(personOf({ phone: undefined, userIds: [...userIds, ...previous] }));
}

function identity(person: Person | null): Events | null {
  if (person === null) return null;
  return person.aliases === undefined ? [] : [{ type: 'identity', ...person }];
}
