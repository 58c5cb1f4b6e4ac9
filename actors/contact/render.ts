/** Renders a contact for the API, and its search text for lists. */
import type { Contact } from '../../shared/api/contact.ts';
import { foldText } from '../../shared/text/fold.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { ContactState } from '../domain/contact.ts';
import { shownAd } from '../domain/first-ad.ts';

/** C2.4: property order is the document's. */
export function renderContact(state: ContactState): Contact {
  return {
    id: state.id,
    phone: state.phone,
    name: state.name,
    email: state.email,
    fields: state.fields,
    tags: state.tags,
    optIn: state.optIn,
    optInAt: state.optInAt === null ? null : timestamp(state.optInAt),
    optOutAt: state.optOutAt === null ? null : timestamp(state.optOutAt),
    source: state.source,
    createdAt: timestamp(state.createdAt),
    updatedAt: timestamp(state.updatedAt),
    ...(typeof state.marketingOptOutAt === 'number'
      ? { marketingOptOutAt: timestamp(state.marketingOptOutAt) }
      : {}),
    ...(state.firstAd === undefined ? {} : { firstAd: shownAd(state.firstAd) }),
  };
}

/** Name, phone digits and e-mail in one field, separated by a character that no user types. */
export function searchText(state: Pick<ContactState, 'name' | 'phone' | 'email'>): string {
  return foldText([state.name ?? '', state.phone, state.email ?? ''].join('\n'));
}
