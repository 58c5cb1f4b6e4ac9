/**
 * Counted collections: their lists report a `total`, which may be filtered by their facets.
 *
 * 1. A document stores its counted facet: `counted.of`, as of the counter's version `counted.at`.
 *    While the actual facet may differ, the document has the dirty flag `recount`. Every writer
 *    sets the flag in the same write. A flag too many costs a read, a flag too few makes a total
 *    wrong.
 * 2. A document without `counted` was counted in its actual facet. A writer that changes this facet
 *    first records the old one.
 */
import type { Document } from '../../shared/ports/store.ts';
import type { Filter, Order, PathOf, Store } from '../model/collections.ts';
import type { Counted, CountedDocument, CounterFields } from '../model/counter.ts';
import { conditionAt, merged, projectionOf, updateOf, whereAll } from '../runtime/computed.ts';

/** The collections whose documents have counter fields. */
export type CountedName = 'contacts' | 'conversations' | 'deals' | 'tasks';

export interface CountedCollection<Of extends CountedName = CountedName> {
  readonly collection: Of;
  /** Path of the organization's id. */
  readonly orgId: PathOf<Of>;
  /** Paths of the fields that form a facet, with all values of each where they are known. */
  readonly facets: readonly Facet<Of>[];
  /** The index of organization and facets: a document moves in it only with its facet. */
  readonly index: Order<Of>;
  /** Path of a value that rises with each change. */
  readonly revision: PathOf<Of>;
  /** Batches are recorded, for processes that keep the documents in memory. */
  readonly recordsBatches: boolean;
}

export interface Facet<Of extends CountedName = CountedName> {
  readonly path: PathOf<Of>;
  readonly values?: readonly unknown[];
}

export const NOT_COUNTED = '';

/**
 * The facet of a document that was merged into another one: it is in no list and no total. The id
 * of its organization begins with the same character.
 */
export const OUTSIDE = '~';

/** The organization's id in a document outside of its lists and totals (`domain/identity.ts`). */
export function outsideOf(orgId: string): string {
  return orgId.startsWith(OUTSIDE) ? orgId : OUTSIDE + orgId;
}

/** The organization's id, also of a document outside of its lists. */
export function insideOf(orgId: string): string {
  return orgId.startsWith(OUTSIDE) ? orgId.slice(OUTSIDE.length) : orgId;
}

export function facetOf(values: readonly unknown[]): string {
  return JSON.stringify(values);
}

export function facetIn({ facets, orgId }: CountedCollection, document: Document): string {
  if (String(valueAt(document, orgId)).startsWith(OUTSIDE)) return OUTSIDE;
  return facetOf(facets.map(({ path }) => valueAt(document, path)));
}

export function asCounted(countedCollection: CountedCollection, document: CountedDocument): string {
  return document.counted?.of ?? facetIn(countedCollection, document);
}

export function revisionIn({ revision }: CountedCollection, document: Document): unknown {
  return valueAt(document, revision);
}

/** Whether a facet matches the filter; null: the filter has fields that are no facets. */
export function facetTest(
  countedCollection: CountedCollection,
  filter: object,
): ((facet: string) => boolean) | null {
  const { orgId, facets } = countedCollection;
  const asked = Object.keys(filter).filter((path) => path !== orgId);
  const at = asked.map((path) => facets.findIndex((facet) => facet.path === path));
  if (at.includes(-1)) return null;
  return (facet) => {
    if (facet === NOT_COUNTED || facet === OUTSIDE) return false;
    const values: unknown[] = JSON.parse(facet);
    return asked.every((path, index) => meets(values[at[index] ?? -1], conditionAt(filter, path)));
  };
}

/** A filter asks for one value of a facet, or for some. */
function meets(value: unknown, condition: unknown): boolean {
  const some = valueAt(condition, '$in');
  return Array.isArray(some) ? some.includes(value) : value === condition;
}

/** The filter that finds the documents of one facet only. */
export function facetFilter({ facets }: CountedCollection, facet: string): Filter<CountedName> {
  if (facet === OUTSIDE) return {};
  const values: unknown[] = JSON.parse(facet);
  return whereAll<CountedName>(facets.map(({ path }, index) => [path, values[index]]));
}

export function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return null;
    value = Reflect.get(value, name);
  }
  return value ?? null;
}

/** The dirty flag, for `$set`. */
export function dirtyFlag(orgId: string): { readonly recount: string } {
  return { recount: orgId };
}

/** The first `counted` of a new document. */
export const UNCOUNTED: { readonly counted: Counted } = { counted: { of: NOT_COUNTED, at: 0 } };

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
 * Records the facet of documents without `counted`: before such a document changes, it must store
 * its old facet.
 */
export async function recordCounted(
  store: Store,
  countedCollection: CountedCollection,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const { collection, facets } = countedCollection;
  const counted = { $exists: false };
  const project = projectionOf(facets.map(({ path }) => path));
  const filter = { _id: { $in: [...ids] }, counted };
  const bare = await store.find(collection, filter, { project });
  if (bare.length === 0) return;
  const writes = bare.map((document) => {
    const of = facetIn(countedCollection, document);
    const own: Filter<CountedName> = { _id: document._id, counted };
    const filter = merged<CountedName>(own, facetFilter(countedCollection, of));
    return updateOf(collection, { filter, change: { $set: { counted: { of, at: 0 } } } });
  });
  await store.commit(writes);
}
