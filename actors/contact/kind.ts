/** Contacts as the runtime sees them. */
import type { Kind } from '../runtime/actor.ts';
import { ContactActor, type ContactDocument, type ContactParts, handOnContact } from './actor.ts';

export function contactKind(parts: ContactParts): Kind {
  return {
    kind: 'contact',
    open: (key) => new ContactActor(key, parts),
    async take(partition) {
      const { store } = parts.world;
      const pending = await store.find<ContactDocument>('contacts', { pending: partition });
      await Promise.all(pending.map((document) => handOnContact(parts, document)));
    },
  };
}
