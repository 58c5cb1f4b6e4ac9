/**
 * Opt-out of the contact of a conversation, as it is on record at this moment.
 *
 * 1. The contact's record is read, never a copy of it: an opt-out that was answered is seen.
 * 2. A contact's word opts out when its message is recorded. The command to the contact's actor may
 *    still be in the outbox of that message: it counts already.
 */
import type { Store } from '../../shared/ports/store.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import { readContact } from '../contact/api.ts';
import { isOptedOut } from '../domain/contact.ts';
import type { ConversationState } from '../domain/conversation.ts';

/** Joins lead to ever older conversations: a longer chain is a fault. */
const JOINS_MAX = 32;

/** The state of the conversation that answers for this one, after its last entry. */
export async function readAnswering(
  store: Store,
  conversationId: string,
): Promise<ConversationState | null> {
  const newest = { sort: { seq: -1 }, project: { after: 1 } } as const;
  let id = conversationId;
  for (let hops = 0; hops < JOINS_MAX; hops++) {
    const last = await store.findOne('entries', { conversationId: id }, newest);
    if (last?.after.joinedTo === undefined) return last?.after ?? null;
    id = last.after.joinedTo;
  }
  return null;
}

/** Whether the contact wants no messages. */
export async function hasOptedOut(
  store: Store,
  { id, contact: { id: contactId } }: Pick<ConversationState, 'id' | 'contact'>,
): Promise<boolean> {
  // The outbox is read first: what leaves it in between is on the contact's record.
  const saidAt = await readOptOutWord(store, id);
  const contact = await readContact(store, contactId);
  if (contact && isOptedOut(contact)) return true;
  if (saidAt === null) return false;
  return !(contact?.optIn === true && (contact.optInAt ?? 0) > saidAt);
}

/** When the contact opted out by a message whose outbox may be unpublished; null: it did not. */
async function readOptOutWord(store: Store, conversationId: string): Promise<number | null> {
  const pending = partitionOf('conversation', conversationId);
  const filter = { pending, conversationId, outbox: { $exists: true } };
  const project = { outbox: 1, after: 1 } as const;
  // Few: entries of the last seconds.
  const entries = await store.find('entries', filter, { project });
  const said = entries.filter(({ outbox = [] }) =>
    outbox.some(
      (item) => item.type === 'command' && 'optIn' in item.command && item.command.optIn === false,
    ),
  );
  return said.length === 0 ? null : Math.max(...said.map(({ after }) => after.at));
}
