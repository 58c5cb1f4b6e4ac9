/** Publication of a contact's outbox. */
import { insideOf } from '../counters/counted-collection.ts';
import type { StoredContact } from '../model/contact.ts';
import { clearPublished } from '../outbox/relay.ts';
import type { ContactParts } from './identity.ts';

/** Publishes the outbox, then clears it unless a newer version holds more. */
export async function publishContact(
  parts: ContactParts,
  contact: StoredContact,
): Promise<boolean> {
  const { _id, version, outbox = [] } = contact;
  const entity = { orgId: insideOf(contact.orgId), collection: 'contacts', id: _id } as const;
  const acknowledged = await parts.relay.publish(entity, outbox);
  if (!acknowledged) return false;
  return clearPublished(parts.environment, {
    update: 'contacts',
    filter: { _id, version },
    change: { $unset: { outbox: '', pending: '' } },
  });
}
