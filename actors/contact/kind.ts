/** The contact kind, as the runtime hosts it. */
import { UnpublishedOutbox } from '../outbox/unpublished-outbox.ts';
import type { Kind } from '../runtime/actor.ts';
import { ContactActor, publishContact } from './actor.ts';
import type { ContactParts } from './contact.ts';
import type { ContactDocument } from './documents.ts';

export function contactKind(parts: ContactParts): Kind {
  const unpublished = new UnpublishedOutbox<ContactDocument>(parts.environment, 'contacts');
  const publishUnpublished = (partition: number): Promise<void> =>
    unpublished.publish(partition, (document) => publishContact(parts, document));
  return {
    kind: 'contact',
    open: (key) => new ContactActor(key, parts),
    acquire: publishUnpublished,
    recoverLate: publishUnpublished,
    async recover(key) {
      const document = await parts.environment.store.byId<ContactDocument>('contacts', key);
      if (document?.outbox) await publishContact(parts, document);
    },
  };
}
