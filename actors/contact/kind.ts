/** Contacts as the runtime sees them. */
import { LeftBehind } from '../outbox/left.ts';
import type { Kind } from '../runtime/actor.ts';
import { ContactActor, handOnContact } from './actor.ts';
import type { ContactParts } from './contact.ts';
import type { ContactDocument } from './documents.ts';

export function contactKind(parts: ContactParts): Kind {
  const left = new LeftBehind<ContactDocument>(parts.world, 'contacts');
  const handOnLeft = (partition: number): Promise<void> =>
    left.handOn(partition, (document) => handOnContact(parts, document));
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
