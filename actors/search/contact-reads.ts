/** Reads of an organization's contacts for its index: all of them, or what has changed. */
import type { Document } from '../../shared/ports/store.ts';
import { COUNTED_CONTACTS } from '../counters/counted-collections.ts';
import { BATCHES, batchId, counterId, readCounter } from '../counters/counter-document.ts';
import type { Filter, Store } from '../model/collections.ts';
import type { ContactDocument } from '../model/contact.ts';
import type { CounterDocument } from '../model/counter.ts';

const PAGE = 2_000;
/** With more dirty contacts the store searches, until they are counted. */
const DIRTY_MAX = 20_000;
const PROJECTION = { search: 1, updatedAt: 1 } as const;
export const CONTACTS_INDEX = { orgId: 1, updatedAt: -1, _id: -1, search: 1 } as const;
const NEWEST_FIRST = {
  sort: { updatedAt: -1, _id: -1 },
  project: PROJECTION,
  index: CONTACTS_INDEX,
  limit: PAGE,
} as const;

export type IndexedContact = Document & Pick<ContactDocument, 'search' | 'updatedAt'>;

/** In pages, newest first; each begins after the last contact, by the index alone. */
export async function* allContacts(
  store: Store,
  orgId: string,
): AsyncGenerator<readonly IndexedContact[], void> {
  const read = (beyond: Filter<'contacts'>): Promise<IndexedContact[]> =>
    store.find('contacts', { orgId, ...beyond }, NEWEST_FIRST);
  const readAfter = async ({ updatedAt, _id }: IndexedContact): Promise<IndexedContact[]> => {
    const equals = await read({ updatedAt, _id: { $lt: _id } });
    return equals.length > 0 ? equals : read({ updatedAt: { $lt: updatedAt } });
  };
  let page = await read({});
  for (let last = page.at(-1); last; last = page.at(-1)) {
    yield page;
    page = await readAfter(last);
  }
}

/** Contacts that the counter does not include yet. @throws {NotCounted} when they are too many */
export async function dirtyContacts(store: Store, orgId: string): Promise<IndexedContact[]> {
  const options = { project: PROJECTION, limit: DIRTY_MAX + 1 };
  const dirty = await store.find('contacts', { recount: orgId }, options);
  if (dirty.length > DIRTY_MAX) throw new NotCounted(counterId(COUNTED_CONTACTS, orgId));
  return dirty;
}

/** The contacts of the batches after a version of the counter, in their present state. */
export async function contactsOfBatches(
  store: Store,
  { _id, version }: CounterDocument,
  after: number,
): Promise<readonly IndexedContact[]> {
  if (version <= after) return [];
  const since = { _id: { $gt: batchId(_id, after), $lte: batchId(_id, version) } };
  const batches = await store.find(BATCHES, since);
  const ids = new Set(batches.flatMap((batch) => batch.ids));
  if (ids.size === 0) return [];
  return store.find('contacts', { _id: { $in: [...ids] } }, { project: PROJECTION });
}

/** @throws {NotCounted} where there is none yet */
export async function readContactCounter(store: Store, orgId: string): Promise<CounterDocument> {
  const counter = await readCounter(store, COUNTED_CONTACTS, orgId);
  if (!counter) throw new NotCounted(counterId(COUNTED_CONTACTS, orgId));
  return counter;
}

/** The organization's contacts are not counted yet, or too many of them are dirty. */
export class NotCounted extends Error {
  constructor(counter: string) {
    super(`${counter} is not there yet, or far behind`);
    this.name = 'NotCounted';
  }
}
