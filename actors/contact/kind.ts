/** Contacts as the runtime sees them. */
import type { Kind } from '../runtime/actor.ts';
import { ContactActor, type ContactDocument, type ContactParts, handOnContact } from './actor.ts';

export function contactKind(parts: ContactParts): Kind {
  const handOnLeft = async (partition: number): Promise<void> => {
    const { store } = parts.world;
    const pending = await store.find<ContactDocument>('contacts', { pending: partition });
    await Promise.all(pending.map((document) => handOnContact(parts, document)));
  };
  return {
    kind: 'contact',
    open: (key) => new ContactActor(key, parts),
    take: handOnLeft,
    completeLate: handOnLeft,
    async complete(key) {
      const document = await parts.world.store.byId<ContactDocument>('contacts', key);
      if (document?.outbox) await handOnContact(parts, document);
    },
  };
}
