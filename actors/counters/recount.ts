/**
 * Recount: makes or corrects a counter document while other processes write. It counts facet by
 * facet, by an index in which a document moves only with its facet.
 *
 * 1. A clean document is counted in its actual facet, a dirty one in its recorded facet. So
 *    count(facet) = actual − dirty now in facet + dirty last counted in facet.
 * 2. That is true of one moment. A facet with documents that changed during its count is counted
 *    again. The counter is replaced only if no other process has changed it meanwhile.
 * 3. Without a counter no document changes from not counted to counted. So where none is counted
 *    yet, the first counter is empty, and batches count what is dirty: a campaign of a new
 *    organization dirties documents faster than any facet could be counted.
 */
import type { Filter, Store } from '../model/collections.ts';
import type { CountedDocument, CounterDocument } from '../model/counter.ts';
import { merged, orderBy, projectionOf, where, whereAll } from '../runtime/computed.ts';
import {
  asCounted,
  type CountedCollection,
  type CountedName,
  type Facet,
  facetFilter,
  facetIn,
  facetOf,
  NOT_COUNTED,
  OUTSIDE,
  outsideOf,
  revisionIn,
  valueAt,
} from './counted-collection.ts';
import {
  counterId,
  findDirty,
  finishBatch,
  readCounter,
  replaceCounter,
  sumOf,
} from './counter-document.ts';

/** Tries per facet. */
const TRIES = 8;
const FIRST_REVISION = 1;

interface RecountScope {
  readonly store: Store;
  readonly countedCollection: CountedCollection;
  readonly orgId: string;
}

export interface RecountResult {
  /** Null: there was no counter. */
  readonly before: CounterDocument | null;
  readonly after: CounterDocument;
}

/** Null when documents changed too fast, or another process was first. */
export async function recountAll(
  store: Store,
  countedCollection: CountedCollection,
  { orgId, now }: { readonly orgId: string; readonly now: number },
): Promise<RecountResult | null> {
  const known = await readCounter(store, countedCollection, orgId);
  if (known && known.folding.length > 0)
    await finishBatch(store, countedCollection, { counter: known, now });
  const scope = { store, countedCollection, orgId };
  const counts = known || (await isAnyCounted(scope)) ? await countFacets(scope) : [];
  if (!counts) return null;
  const _id = counterId(countedCollection, orgId);
  const version = known?.version ?? 0;
  // A lost counter restarts at a version above every `counted.at` of its documents.
  const recounted = Math.max(version + 1, known ? 0 : now);
  const identity = { _id, orgId, version: recounted, recounted };
  const next: CounterDocument = { ...identity, counts: sumOf(counts), folding: [] };
  if (!(await replaceCounter(store, { _id, version }, next))) return null;
  return { before: known, after: next };
}

/** Whether the counter was wrong. */
export function isCorrected({ before, after }: RecountResult): boolean {
  return before !== null && canonical(before.counts) !== canonical(after.counts);
}

/** Also true of documents that were written without counter fields. */
async function isAnyCounted({ store, countedCollection, orgId }: RecountScope): Promise<boolean> {
  const { collection, index } = countedCollection;
  const counted: Filter<CountedName> = { 'counted.of': { $ne: NOT_COUNTED } };
  const within = where<CountedName>(countedCollection.orgId, { $in: [orgId, outsideOf(orgId)] });
  const filter = merged<CountedName>(within, counted);
  return (await store.findOne(collection, filter, { project: { counted: 1 }, index })) !== null;
}

/** The count of each facet, actual or recorded; null when one changes too fast. */
async function countFacets(scope: RecountScope): Promise<CounterDocument['counts'] | null> {
  const { store, countedCollection, orgId } = scope;
  const counts = new Map<string, number>();
  for (;;) {
    const dirty = await findDirty(store, countedCollection, { orgId });
    const countedAs = dirty.map((document) => asCounted(countedCollection, document));
    const facets = new Set([...(await facetsOf(scope, [])), ...countedAs, OUTSIDE]);
    const uncounted = [...facets].filter((of) => of !== NOT_COUNTED && !counts.has(of));
    if (uncounted.length === 0) return [...counts].map(([of, n]) => ({ of, n }));
    for (const facet of uncounted) {
      const n = await countOne(scope, facet);
      if (n === null) return null;
      counts.set(facet, n);
    }
  }
}

async function countOne(
  { store, countedCollection, orgId }: RecountScope,
  facet: string,
): Promise<number | null> {
  const of = facet === OUTSIDE ? outsideOf(orgId) : orgId;
  const filter = merged<CountedName>(
    where(countedCollection.orgId, of),
    facetFilter(countedCollection, facet),
  );
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await findDirty(store, countedCollection, { orgId });
    const n = await store.count(countedCollection.collection, filter, countedCollection.index);
    const after = await findDirty(store, countedCollection, { orgId });
    if (hasMoved(countedCollection, facet, { before, after })) continue;
    const actual = before.filter((document) => facetIn(countedCollection, document) === facet);
    const recorded = before.filter((document) => asCounted(countedCollection, document) === facet);
    return n - actual.length + recorded.length;
  }
  return null;
}

/**
 * Whether a document may have entered or left the facet between two reads. A changed document may
 * have been in any facet meanwhile. A document that was created and not changed since was in its
 * own facet only.
 */
function hasMoved(
  countedCollection: CountedCollection,
  facet: string,
  { before, after }: Readonly<Record<'before' | 'after', readonly CountedDocument[]>>,
): boolean {
  const known = new Map(before.map((document) => [document._id, document]));
  return after.some((document) => {
    const then = known.get(document._id);
    const is = facetIn(countedCollection, document);
    const was = then ? facetIn(countedCollection, then) : asCounted(countedCollection, document);
    const revision = revisionIn(countedCollection, document);
    if (then && is === was) return revisionIn(countedCollection, then) !== revision;
    const made = !then && was === NOT_COUNTED && revision === FIRST_REVISION;
    return made ? is === facet : true;
  });
}

/** Every facet that may have documents. */
async function facetsOf(scope: RecountScope, values: readonly unknown[]): Promise<string[]> {
  const { countedCollection } = scope;
  const facet = countedCollection.facets[values.length];
  if (!facet) return [facetOf(values)];
  const found: string[] = [];
  for await (const value of valuesOf(scope, { facet, values })) {
    found.push(...(await facetsOf(scope, [...values, value])));
  }
  return found;
}

/** All values of a field beside the given values of earlier fields, one by one by the index. */
async function* valuesOf(
  { store, countedCollection, orgId }: RecountScope,
  { facet, values }: { readonly facet: Facet; readonly values: readonly unknown[] },
): AsyncGenerator<unknown> {
  if (facet.values) {
    yield* facet.values;
    return;
  }
  const { collection, facets, index } = countedCollection;
  const { path } = facet;
  const known = facets.slice(0, values.length).map((each, at) => [each.path, values[at]] as const);
  const within = whereAll<CountedName>([[countedCollection.orgId, orgId], ...known]);
  const withPath = (condition: unknown) =>
    merged<CountedName>(within, where<CountedName>(path, condition));
  const options = { sort: orderBy<CountedName>([path], 1), project: projectionOf([path]), index };
  const none = await store.findOne(collection, withPath(null), options);
  if (none) yield null;
  for (let last = ''; ; ) {
    const next = await store.findOne(collection, withPath({ $gt: last }), options);
    if (!next) return;
    last = String(valueAt(next, path));
    yield last;
  }
}

function canonical(counts: CounterDocument['counts']): string {
  return JSON.stringify(counts.toSorted((a, b) => (a.of < b.of ? -1 : 1)));
}
