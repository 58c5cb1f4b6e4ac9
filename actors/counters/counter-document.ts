/**
 * Counter document: the number of documents in each facet, for one organization and collection.
 *
 * 1. It changes only by compare-and-set of `version`. One batch counts some dirty documents again,
 *    and lists them in `folding`. Then it updates `counted` in these documents, and empties
 *    `folding`. Only then may the next batch begin. A process that finds `folding` filled finishes
 *    that batch. A repeated update does nothing, and `counted.at` stops a late one.
 * 2. So at any version this count is exact: counter − dirty last counted in the facet + dirty now
 *    in the facet (`totals.ts`).
 */
import type { Change, Filter, Store, Write } from '../model/collections.ts';
import type {
  BatchDocument,
  BatchedDocument,
  CountedDocument,
  CounterDocument,
} from '../model/counter.ts';
import { merged, projectionOf, updateOf, where } from '../runtime/computed.ts';
import {
  asCounted,
  type CountedCollection,
  type CountedName,
  facetFilter,
  facetIn,
  NOT_COUNTED,
  OUTSIDE,
  revisionIn,
} from './counted-collection.ts';

export const COUNTERS = 'tallies';
/** The documents of each batch, for processes that keep documents in memory. */
export const BATCHES = 'tallySteps';
/** Of one batch: bounds the size of the counter document, and the delay of other changes. */
export const BATCH_MAX = 500;

export function counterId({ collection }: CountedCollection, orgId: string): string {
  return `${collection}:${orgId}`;
}

export function batchId(counter: string, version: number): string {
  return `${counter}:${String(version).padStart(16, '0')}`;
}

export function readCounter(
  store: Store,
  countedCollection: CountedCollection,
  orgId: string,
): Promise<CounterDocument | null> {
  return store.byId(COUNTERS, counterId(countedCollection, orgId));
}

/** The dirty documents: their counted facet may differ from the actual one. */
export function findDirty(
  store: Store,
  countedCollection: CountedCollection,
  { orgId, limit }: { readonly orgId: string; readonly limit?: number },
): Promise<CountedDocument[]> {
  const { collection, orgId: ofOrg, revision, facets } = countedCollection;
  const paths = [ofOrg, revision, ...facets.map(({ path }) => path)];
  const project = projectionOf([...paths, 'counted']);
  const most = limit === undefined ? {} : { limit, sort: { _id: 1 } as const };
  return store.find(collection, { recount: orgId }, { project, ...most });
}

/** Counts one batch of dirty documents; returns how many. The counter document must exist. */
export async function applyBatch(
  store: Store,
  countedCollection: CountedCollection,
  { counter, now }: { readonly counter: CounterDocument; readonly now: number },
): Promise<number> {
  if (counter.folding.length > 0) await finishBatch(store, countedCollection, { counter, now });
  const { orgId, version } = counter;
  const documents = await findDirty(store, countedCollection, { orgId, limit: BATCH_MAX });
  if (documents.length === 0) return 0;
  const moved = documents.flatMap((document) => [
    { of: asCounted(countedCollection, document), n: -1 },
    { of: facetIn(countedCollection, document), n: 1 },
  ]);
  // A document from elsewhere may have a `counted.at` later than the version of this counter.
  const countedAt = documents.map(({ counted }) => counted?.at ?? 0);
  const next: CounterDocument = {
    ...counter,
    version: Math.max(version, ...countedAt) + 1,
    counts: sumOf([...counter.counts, ...moved]),
    folding: documents.map((document) => ({
      id: document._id,
      to: facetIn(countedCollection, document),
      revision: revisionIn(countedCollection, document),
      bare: document.counted === undefined,
    })),
  };
  if (!(await replaceCounter(store, counter, next))) return 0;
  await finishBatch(store, countedCollection, { counter: next, now });
  return documents.length;
}

/** Compare-and-set; false when another process was first. */
export async function replaceCounter(
  store: Store,
  { _id, version }: Pick<CounterDocument, '_id' | 'version'>,
  next: CounterDocument,
): Promise<boolean> {
  const { _id: _, ...fields } = next;
  const write: Write =
    version === 0
      ? { insert: COUNTERS, document: next }
      : { update: COUNTERS, filter: { _id, version }, change: { $set: fields }, upsert: true };
  const [written] = await store.commit([write]);
  if (written && !written.ok && 'error' in written) throw written.error;
  return written?.ok === true;
}

/** Updates `counted` in the documents of the batch, then empties `folding`. */
export async function finishBatch(
  store: Store,
  countedCollection: CountedCollection,
  { counter, now }: { readonly counter: CounterDocument; readonly now: number },
): Promise<void> {
  const { _id, version, folding } = counter;
  const ids = folding.map(({ id }) => id);
  const batch = { _id: batchId(_id, version), ids, at: now };
  if (countedCollection.recordsBatches) await recordBatch(store, batch);
  const groups = groupsOf(folding, version);
  const { collection } = countedCollection;
  const cleaned = groups.map(({ counted, revision, filter: ofGroup }) => {
    const ofFacet = facetFilter(countedCollection, counted.of);
    const unchanged = where<CountedName>(countedCollection.revision, revision);
    const filter = merged<CountedName>(ofGroup, ofFacet, unchanged);
    const change: Change<CountedName> = { $set: { counted }, $unset: { recount: '' } };
    return updateOf(collection, { filter, change, many: true });
  });
  // A document unchanged since it was read is clean now; the others stay dirty.
  await commitAll(store, cleaned);
  const recorded = groups.map(({ counted, filter }) =>
    updateOf(collection, { filter, change: { $set: { counted } }, many: true }),
  );
  await commitAll(store, recorded);
  const change = { $set: { folding: [] } };
  await commitAll(store, [{ update: COUNTERS, filter: { _id, version }, change }]);
}

/** Before any document changes: a process that reads flags first and batches then misses none. */
async function recordBatch(store: Store, batch: BatchDocument): Promise<void> {
  const [written] = await store.commit([{ insert: BATCHES, document: batch }]);
  if (written?.ok || (written && 'duplicate' in written)) return;
  throw new Error('counter batch was refused', { cause: written });
}

async function commitAll(store: Store, writes: readonly Write[]): Promise<void> {
  for (const outcome of await store.commit(writes)) {
    if (!outcome.ok) throw new Error('counter write was refused', { cause: outcome });
  }
}

/** Documents that one write updates. Its filter on `counted.at` makes a repeat harmless. */
function groupsOf(folding: readonly BatchedDocument[], version: number) {
  const keyOf = ({ to, revision, bare }: BatchedDocument) => JSON.stringify([to, revision, bare]);
  return [...Map.groupBy(folding, keyOf).values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const before = first.bare ? { $exists: false } : { $lt: version };
    const filter: Filter<CountedName> = {
      _id: { $in: group.map(({ id }) => id) },
      'counted.at': before,
    };
    return [{ counted: { of: first.to, at: version }, revision: first.revision, filter }];
  });
}

/** The sum by facet, without facets that have no documents. */
export function sumOf(counts: CounterDocument['counts']): CounterDocument['counts'] {
  const sum = new Map<string, number>();
  for (const { of, n } of counts) sum.set(of, (sum.get(of) ?? 0) + n);
  sum.delete(NOT_COUNTED);
  return [...sum].filter(([, n]) => n !== 0).map(([of, n]) => ({ of, n }));
}

/** The documents that lists show. */
export function sizeOf({ counts }: CounterDocument): number {
  return counts.reduce((sum, { of, n }) => (of === OUTSIDE ? sum : sum + n), 0);
}
