/** GET /api/v1/contacts: by last update, newest first (C4.5). */

import { foldTag } from '../../../shared/text/fold-tag.ts';
import { otherSpellings } from '../../../shared/text/phone-spellings.ts';
import { firstFound, searchTexts } from '../../../shared/text/search-texts.ts';
import type { ListContacts } from '../../../shared/wire/queries.ts';
import { anyOf } from '../../contact/read-contact.ts';
import { renderContact } from '../../contact/render.ts';
import { COUNTED_CONTACTS } from '../../counters/counted-collections.ts';
import { spellingsOf } from '../../domain/tags.ts';
import type { Environment } from '../../environment.ts';
import type { Filter, Order, Store } from '../../model/collections.ts';
import type { StoredContact } from '../../model/contact.ts';
import { spelledTag } from '../../organization/documents.ts';
import { CONTACTS_INDEX } from '../../search/contact-reads.ts';
import { type Query, skipOf } from '../lists/answer.ts';
import { type Lists, type Page, pageOf } from '../lists/page.ts';
import { answerPage, type Listing, ROWS, rowsOf } from '../lists/parts.ts';

const HIDDEN = { answers: 0, completed: 0, search: 0, outbox: 0, optInHistory: 0 } as const;
const NEWEST_FIRST = { updatedAt: -1, _id: -1 } as const;
/** With the text that is searched, as the index of all contacts. */
const OPTED_INDEX = { orgId: 1, optIn: 1, ...NEWEST_FIRST, search: 1 } as const;
const TAGGED_INDEX = { orgId: 1, tags: 1, optIn: 1, ...NEWEST_FIRST } as const;
/** Contacts that have a text, of which those with a tag are found at a time. */
const MATCHES_AT_ONCE = 1_000;

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
  if (query.tag !== undefined || query.optIn !== undefined) {
    return chosen(lists, query, texts);
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
    { index: { orgId: 1, phone: 1 }, project: { search: 1, tags: 1, optIn: 1, optOutAt: 1 } },
  );
  const found = contacts
    .filter((contact) => contact.search.includes(text) && isChosen(contact, query))
    .map(({ _id }) => _id);
  const wanted = found.slice(skipOf(query), skipOf(query) + query.limit);
  return { rows: await rowsOf(store, 'contacts', wanted), total: found.length };
}

function isChosen(
  contact: Pick<StoredContact, 'tags' | 'optIn' | 'optOutAt'>,
  { tag, optIn = contact.optIn, optOut }: ListContacts,
): boolean {
  if (contact.optIn !== optIn || !hasSaid(contact, optOut)) return false;
  return tag === undefined || contact.tags.some((each) => foldTag(each) === foldTag(tag));
}

/** Whether the contact refused messages, as is asked; true where nothing is. */
function hasSaid({ optOutAt }: Pick<StoredContact, 'optOutAt'>, optOut?: boolean): boolean {
  return optOut === undefined || (optOutAt !== null) === optOut;
}

/** Contacts with a tag, or of one answer to opt-in: each has an index in the list's order. */
async function chosen(
  lists: Lists,
  query: ListContacts,
  texts: readonly string[],
): Promise<Page<StoredContact>> {
  const { orgId, tag, optIn, optOut } = query;
  const { store } = lists.environment;
  if (tag === undefined) {
    const filter = { orgId, ...(optIn === undefined ? {} : { optIn }) };
    if (optOut !== undefined)
      return firstFound(texts, (text) =>
        lookedAt(store, query, { filter, index: OPTED_INDEX, text }),
      );
    return firstFound(texts, (text) => inStore(store, query, { filter, index: OPTED_INDEX, text }));
  }
  const spellings = spellingsOf(tag, await spelledTag(store, orgId, tag));
  const filter = { orgId, tags: anyOf(spellings), optIn: optIn ?? { $in: [false, true] } };
  if (optOut !== undefined)
    return firstFound(texts, (text) =>
      lookedAt(store, query, { filter, index: TAGGED_INDEX, text }),
    );
  return firstFound(texts, (text) =>
    text === ''
      ? inStore(store, query, { filter, index: TAGGED_INDEX, text })
      : taggedMatches(lists, query, { text, filter }),
  );
}

/** No index tells who has refused from who has said nothing: each contact is looked at. */
async function lookedAt(
  store: Store,
  query: ListContacts,
  { filter, index, text }: Scan,
): Promise<Page<StoredContact>> {
  const found: string[] = [];
  for (let skip = 0; ; skip += MATCHES_AT_ONCE) {
    const some = await store.find('contacts', filter, {
      ...{ sort: NEWEST_FIRST, skip, limit: MATCHES_AT_ONCE, index },
      project: { search: 1, optOutAt: 1 },
    });
    const chosen = some.filter(
      (contact) => contact.search.includes(text) && hasSaid(contact, query.optOut),
    );
    found.push(...chosen.map(({ _id }) => _id));
    if (some.length < MATCHES_AT_ONCE) break;
  }
  const wanted = found.slice(skipOf(query), skipOf(query) + query.limit);
  return { rows: await rowsOf(store, 'contacts', wanted), total: found.length };
}

/** Contacts with a tag, a thousand at a time: those that were updated last come first. */
export async function* contactsTagged(
  store: Store,
  { orgId, tag }: { readonly orgId: string; readonly tag: string },
) {
  const spellings = spellingsOf(tag, await spelledTag(store, orgId, tag));
  const filter = { orgId, tags: anyOf(spellings), optIn: { $in: [false, true] } };
  for (let skip = 0; ; skip += MATCHES_AT_ONCE) {
    const some = await store.find('contacts', filter, {
      ...{ sort: NEWEST_FIRST, skip, limit: MATCHES_AT_ONCE, index: TAGGED_INDEX },
      project: { search: 1 },
    });
    yield some;
    if (some.length < MATCHES_AT_ONCE) return;
  }
}

/** No index of a list's elements can check a text too: the contacts with the text are checked. */
async function taggedMatches(
  lists: Lists,
  query: ListContacts,
  { text, filter }: { readonly text: string; readonly filter: Filter<'contacts'> },
): Promise<Page<StoredContact>> {
  const { orgId, limit } = query;
  const { store } = lists.environment;
  const tagged: string[] = [];
  for (let skip = 0; ; skip += MATCHES_AT_ONCE) {
    const page = { skip, limit: MATCHES_AT_ONCE };
    const ids = await contactsMatching(lists, { orgId, text }, page);
    const found = await store.find(
      'contacts',
      { ...filter, _id: { $in: ids } },
      { project: { _id: 1 } },
    );
    const known = new Set(found.map(({ _id }) => _id));
    tagged.push(...ids.filter((id) => known.has(id)));
    if (ids.length < MATCHES_AT_ONCE) break;
  }
  const wanted = tagged.slice(skipOf(query), skipOf(query) + limit);
  return { rows: await rowsOf(store, 'contacts', wanted), total: tagged.length };
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
    // Exact, but it scans every contact.
    return inStore(store, query, { filter: { orgId }, index: CONTACTS_INDEX, text });
  }
  return { rows: await rowsOf(store, 'contacts', found.ids), total: found.total };
}

/** Ids of the contacts with this text, of those that were updated last. */
export async function contactsMatching(
  { environment, indexCache }: Lists,
  { orgId, text }: { readonly orgId: string; readonly text: string },
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<readonly string[]> {
  const found = await indexCache.search(orgId, text, { skip, limit });
  if (found) return found.ids;
  const filter = { orgId, search: { $regex: literal(text) } };
  const options = {
    sort: NEWEST_FIRST,
    skip,
    limit,
    index: CONTACTS_INDEX,
    project: { _id: 1 },
  } as const;
  const rows = await environment.store.find('contacts', filter, options);
  return rows.map(({ _id }) => _id);
}

interface Scan {
  readonly filter: Filter<'contacts'>;
  /** In the list's order behind the filter's fields. */
  readonly index: Order<'contacts'>;
  readonly text: string;
}

/** A page that is not full implies the total: one scan is enough. */
async function inStore(
  store: Store,
  query: ListContacts,
  { filter: asked, index, text }: Scan,
): Promise<Page<StoredContact>> {
  const { limit } = query;
  const filter = text === '' ? asked : { ...asked, search: { $regex: literal(text) } };
  const skip = skipOf(query);
  const rows = await store.find('contacts', filter, {
    ...ROWS,
    sort: NEWEST_FIRST,
    skip,
    limit,
    index,
  });
  const isLast = rows.length < limit && (rows.length > 0 || skip === 0);
  const total = isLast ? skip + rows.length : await store.count('contacts', filter, index);
  return { rows, total };
}

/** Escapes the text: a search matches it literally, not as a pattern. */
export function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
