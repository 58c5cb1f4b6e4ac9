/** Dirty fields: a write sets them so that its document is counted (`counted-collection.ts`). */
import type { Document, Store } from '../../shared/ports/store.ts';
import {
  type Counted,
  type CountedCollection,
  type CountedDocument,
  type CounterFields,
  dirtyFlag,
  facetFilter,
  facetIn,
  UNCOUNTED,
  valueAt,
} from './counted-collection.ts';

/** For a compare-and-set of the whole document; `before` is the replaced document. */
export function dirtyFieldsOf(
  countedCollection: CountedCollection,
  before: (Document & { readonly counted?: Counted }) | null | undefined,
  after: Document,
): CounterFields {
  const orgId = String(valueAt(after, countedCollection.orgId));
  if (!before) return { ...dirtyFlag(orgId), ...UNCOUNTED };
  const was = facetIn(countedCollection, before);
  if (was === facetIn(countedCollection, after)) return {};
  return { ...dirtyFlag(orgId), ...(before.counted ? {} : { counted: { of: was, at: 0 } }) };
}

/**
 * Records the counted facet of documents without `counted`: before such a document changes, it must
 * store its old facet. Documents with `counted` are not changed.
 */
export async function recordCounted(
  store: Store,
  countedCollection: CountedCollection,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const bare = await store.find<CountedDocument>(
    countedCollection.collection,
    { _id: { $in: [...ids] }, counted: { $exists: false } },
    { project: Object.fromEntries(countedCollection.facets.map(({ path }) => [path, 1 as const])) },
  );
  if (bare.length === 0) return;
  await store.commit(
    bare.map((document) => {
      const of = facetIn(countedCollection, document);
      return {
        update: countedCollection.collection,
        filter: {
          _id: document._id,
          counted: { $exists: false },
          ...facetFilter(countedCollection, of),
        },
        change: { $set: { counted: { of, at: 0 } } },
      };
    }),
  );
}
