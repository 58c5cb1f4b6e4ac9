/** GET /api/v1/contacts: by last update, newest first (C4.5). */
import { otherSpellings } from '../../../shared/text/phone-spellings.ts';
import { firstFound, searchTexts } from '../../../shared/text/search-texts.ts';
import type { ListContacts } from '../../../shared/wire/queries.ts';
import { anyOf } from '../../contact/read-contact.ts';
import { renderContact } from '../../contact/render.ts';
import { COUNTED_CONTACTS } from '../../counters/counted-collections.ts';
import type { Environment } from '../../environment.ts';
import type { Store } from '../../model/collections.ts';
import type { StoredContact } from '../../model/contact.ts';
import { CONTACTS_INDEX } from '../../search/contact-reads.ts';
import { type Query, skipOf } from '../lists/answer.ts';
import { type Lists, type Page, pageOf } from '../lists/page.ts';
import { answerPage, type Listing, ROWS, rowsOf } from '../lists/parts.ts';

const HIDDEN = { answers: 0, completed: 0, search: 0, outbox: 0, optInHistory: 0 } as const;
const NEWEST_FIRST = { updatedAt: -1, _id: -1 } as const;

export const CONTACTS: Listing<ListContacts, Omit<StoredContact, keyof typeof HIDDEN>> = {
  rest: 'contacts-rest',
  read: (store, ids) => store.find('contacts', ids, { project: HIDDEN }),
  show: async (_world, _query, documents) =>
    documents.map(({ _id, ...state }) => renderContact({ ...state, id: _id })),
};

export function listContacts(lists: Lists): Query<'contacts'> {
  return async (environment, query) => {
    const found = await contactsOf(lists, environment, query);
    return answerPage(lists, CONTACTS, { query, ...found });
  };
}

function contactsOf(
  lists: Lists,
  { store }: Environment,
  query: ListContacts,
): Promise<Page<StoredContact>> {
  const { orgId, phone, page, limit } = query;
  const texts = textsOf(query);
  if (phone !== undefined) {
    return firstFound(texts, (text) => ofPhone(store, query, { phone, text }));
  }
  if (texts[0] !== '') return firstFound(texts, (text) => searched(lists, query, text));
  const filter = { orgId };
  return pageOf(lists, {
    countedCollection: COUNTED_CONTACTS,
    filter,
    indexedFilter: filter,
    by: 'updatedAt',
    index: CONTACTS_INDEX,
    page,
    limit,
  });
}

/** The phone that the query is in the organization's country comes last: other texts are exact. */
function textsOf({ query = '', queryPhone }: ListContacts): readonly string[] {
  const texts = searchTexts(query);
  if (queryPhone === undefined) return texts;
  return [...new Set([...texts, queryPhone, ...otherSpellings(queryPhone)])];
}

/** A phone belongs to one contact. */
async function ofPhone(
  store: Store,
  query: ListContacts,
  { phone, text }: { readonly phone: string; readonly text: string },
): Promise<Page<StoredContact>> {
  const contacts = await store.find(
    'contacts',
    { orgId: query.orgId, phone: anyOf([phone, ...otherSpellings(phone)]) },
    { index: { orgId: 1, phone: 1 }, project: { search: 1 } },
  );
  const found = contacts.filter(({ search }) => search.includes(text)).map(({ _id }) => _id);
  const wanted = found.slice(skipOf(query), skipOf(query) + query.limit);
  return { rows: await rowsOf(store, 'contacts', wanted), total: found.length };
}

async function searched(
  { environment, recountRequests, indexCache }: Lists,
  query: ListContacts,
  text: string,
): Promise<Page<StoredContact>> {
  const { store } = environment;
  const { orgId, limit } = query;
  const found = await indexCache.search(orgId, text, { skip: skipOf(query), limit });
  if (!found) {
    recountRequests.requestCounter(COUNTED_CONTACTS, orgId);
    return searchedInStore(store, query, text);
  }
  return { rows: await rowsOf(store, 'contacts', found.ids), total: found.total };
}

/** Ids of the contacts with this text, of at most `limit` that were updated last. */
export async function contactsMatching(
  { environment, indexCache }: Lists,
  { orgId, text }: { readonly orgId: string; readonly text: string },
  limit: number,
): Promise<readonly string[]> {
  const found = await indexCache.search(orgId, text, { skip: 0, limit });
  if (found) return found.ids;
  const filter = { orgId, search: { $regex: literal(text) } };
  const options = {
    sort: NEWEST_FIRST,
    limit,
    index: CONTACTS_INDEX,
    project: { _id: 1 },
  } as const;
  const rows = await environment.store.find('contacts', filter, options);
  return rows.map(({ _id }) => _id);
}

/**
 * Fallback while no search index is in memory: exact, but it scans every contact. A page that is
 * not full implies the total: one scan is enough.
 */
async function searchedInStore(
  store: Store,
  query: ListContacts,
  text: string,
): Promise<Page<StoredContact>> {
  const { orgId, limit } = query;
  const filter = { orgId, search: { $regex: literal(text) } };
  const skip = skipOf(query);
  const rows = await store.find('contacts', filter, {
    ...ROWS,
    sort: NEWEST_FIRST,
    skip,
    limit,
    index: CONTACTS_INDEX,
  });
  const isLast = rows.length < limit && (rows.length > 0 || skip === 0);
  const total = isLast ? skip + rows.length : await store.count('contacts', filter, CONTACTS_INDEX);
  return { rows, total };
}

/** Escapes the text: a search matches it literally, not as a pattern. */
export function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
