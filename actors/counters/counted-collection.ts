/**
 * What is counted: collections whose lists tell a `total`, and the fields that it may be asked by.
 *
 * 1. A document holds how it has been counted (`counted.of`, under which version of the ledger)
 *    and, while that may differ from what it is, the mark `recount`. Whoever writes sets the mark
 *    in the same write; a mark too many costs a look, a mark too few a wrong total.
 * 2. Without `counted` a document has been counted as it is: who changes its facet then says first
 *    what it was.
 */
import type { Document, Filter, IndexKeys } from '../../shared/ports.ts';

export interface Counted {
  /** A facet; NOT_COUNTED before the first time. */
  readonly of: string;
  /** The version of the ledger under which it was counted so. */
  readonly at: number;
}

export interface CounterFields {
  readonly counted?: Counted;
  /** The organization, while the document is to be looked at. */
  readonly recount?: string;
}

export type CountedDocument = Document & CounterFields;

export interface CountedCollection {
  readonly collection: string;
  /** Path of the organization's id. */
  readonly orgId: string;
  /** Paths of the fields that are counted by, with every value that each can have, where known. */
  readonly facets: readonly Facet[];
  /** The index of organization and facets: a document moves in it only with its facet. */
  readonly index: IndexKeys;
  /** Path of what rises with each change. */
  readonly revision: string;
  /** Who keeps the documents in memory has to be told which ones have changed. */
  readonly recordsBatches: boolean;
}

export interface Facet {
  readonly path: string;
  readonly values?: readonly unknown[];
}

export const NOT_COUNTED = '';

/**
 * The facet of a document that has become a part of another one: it is in no list and no total.
 * Its organization's id begins so too.
 */
export const OUTSIDE = '~';

/** Takes a document out of its organization's lists and totals (`domain/identity.ts`). */
export function outsideOf(orgId: string): string {
  return orgId.startsWith(OUTSIDE) ? orgId : OUTSIDE + orgId;
}

/** The organization, of a document that stands outside of its lists too. */
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

/** Whether what is counted under a facet belongs to a filter; null: the filter asks for more. */
export function facetTest(
  countedCollection: CountedCollection,
  filter: Filter,
): ((facet: string) => boolean) | null {
  const asked = Object.keys(filter).filter((path) => path !== countedCollection.orgId);
  const at = asked.map((path) =>
    countedCollection.facets.findIndex((facet) => facet.path === path),
  );
  if (at.includes(-1)) return null;
  return (facet) => {
    if (facet === NOT_COUNTED || facet === OUTSIDE) return false;
    const values: unknown[] = JSON.parse(facet);
    return asked.every((path, index) => values[at[index] ?? -1] === filter[path]);
  };
}

/** What makes a filter find the documents of one facet only. */
export function facetFilter({ facets }: CountedCollection, facet: string): Filter {
  if (facet === OUTSIDE) return {};
  const values: unknown[] = JSON.parse(facet);
  return Object.fromEntries(facets.map(({ path }, index) => [path, values[index]]));
}

export function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return null;
    value = Reflect.get(value, name);
  }
  return value ?? null;
}

/** The mark, for `$set`. */
export function dirtyFlag(orgId: string): { readonly recount: string } {
  return { recount: orgId };
}

/** What a document that is new begins with. */
export const UNCOUNTED: { readonly counted: Counted } = { counted: { of: NOT_COUNTED, at: 0 } };
