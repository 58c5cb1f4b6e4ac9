/** What a write says so that its document is counted (`places.ts`). */
import type { Document, Store } from '../../shared/ports.ts';
import {
  type Counted,
  facetFilter,
  facetIn,
  marked,
  type Place,
  type TallyDocument,
  type TallyFields,
  UNCOUNTED,
  valueAt,
} from './places.ts';

/** Beside a compare-and-set of the whole document: `before` is what it replaces. */
export function markOf(
  place: Place,
  before: (Document & { readonly counted?: Counted }) | null | undefined,
  after: Document,
): TallyFields {
  const orgId = String(valueAt(after, place.orgId));
  if (!before) return { ...marked(orgId), ...UNCOUNTED };
  const was = facetIn(place, before);
  if (was === facetIn(place, after)) return {};
  return { ...marked(orgId), ...(before.counted ? {} : { counted: { of: was, at: 0 } }) };
}

/**
 * Documents without `counted` count as what they are: before they become something else, they say
 * what they were. Finds none among documents that have been counted before.
 */
export async function sayCounted(
  store: Store,
  place: Place,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const bare = await store.find<TallyDocument>(
    place.collection,
    { _id: { $in: [...ids] }, counted: { $exists: false } },
    { project: Object.fromEntries(place.facets.map(({ path }) => [path, 1 as const])) },
  );
  if (bare.length === 0) return;
  await store.commit(
    bare.map((document) => {
      const of = facetIn(place, document);
      return {
        update: place.collection,
        filter: { _id: document._id, counted: { $exists: false }, ...facetFilter(place, of) },
        change: { $set: { counted: { of, at: 0 } } },
      };
    }),
  );
}
