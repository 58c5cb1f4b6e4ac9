/**
 * Makes a ledger, or makes it right: counts all the documents of each facet by the lists' indexes.
 * A document that changes meanwhile is marked: if the marks are the same before and after, the
 * counts belong together; else it is tried again later.
 */
import type { Filter, Store } from '../../shared/ports.ts';
import {
  type LedgerDocument,
  ledgerId,
  markedIn,
  readLedger,
  replace,
  settleStep,
  sumOf,
} from './ledger.ts';
import {
  asCounted,
  type Facet,
  facetIn,
  facetOf,
  type Place,
  revisionIn,
  type TallyDocument,
  valueAt,
} from './places.ts';

export interface Recounted {
  /** What the ledger had wrong. */
  readonly corrected: boolean;
}

/** Null when documents changed too fast, or another process was first. */
export async function countAll(
  store: Store,
  place: Place,
  { orgId, now }: { readonly orgId: string; readonly now: number },
): Promise<Recounted | null> {
  const known = await readLedger(store, place, orgId);
  if (known && known.folding.length > 0) await settleStep(store, place, { ledger: known, now });
  const before = await markedIn(store, place, { orgId });
  const counts = await countFacets(store, place, { within: { [place.orgId]: orgId }, values: [] });
  const after = await markedIn(store, place, { orgId });
  if (signature(place, before) !== signature(place, after)) return null;
  const moved = after.flatMap((document) => [
    { of: facetIn(place, document), n: -1 },
    { of: asCounted(place, document), n: 1 },
  ]);
  const right = sumOf([...counts, ...moved]);
  const _id = ledgerId(place, orgId);
  const version = known?.version ?? 0;
  const next: LedgerDocument = {
    _id,
    orgId,
    // A ledger that was lost begins beyond what its documents say that they were told.
    version: Math.max(version + 1, known ? 0 : now),
    counts: right,
    folding: [],
    checkedAt: now,
  };
  if (!(await replace(store, { _id, version }, next))) return null;
  return { corrected: known !== null && inWords(known.counts) !== inWords(right) };
}

async function countFacets(
  store: Store,
  place: Place,
  { within, values }: { readonly within: Filter; readonly values: readonly unknown[] },
): Promise<LedgerDocument['counts']> {
  const facet = place.facets[values.length];
  if (!facet) {
    const n = await store.count(place.collection, within);
    return n === 0 ? [] : [{ of: facetOf(values), n }];
  }
  const counts: LedgerDocument['counts'][number][] = [];
  for await (const value of valuesOf(store, place, { within, ...facet })) {
    const narrower = facet.follows ? within : { ...within, [facet.path]: value };
    const deeper = { within: narrower, values: [...values, value] };
    counts.push(...(await countFacets(store, place, deeper)));
  }
  return counts;
}

/** Every value of a field, from one to the next by the index. */
async function* valuesOf(
  store: Store,
  { collection }: Place,
  facet: Facet & { readonly within: Filter },
): AsyncGenerator<unknown> {
  const { within, path, values, follows } = facet;
  if (values) {
    yield* values;
    return;
  }
  if (follows) {
    const one = await store.findOne(collection, within, { project: { [path]: 1 } });
    if (one) yield valueAt(one, path);
    return;
  }
  yield null;
  for (let last = ''; ; ) {
    const next = await store.findOne(
      collection,
      { ...within, [path]: { $gt: last } },
      { sort: { [path]: 1 }, project: { [path]: 1 } },
    );
    if (!next) return;
    last = String(valueAt(next, path));
    yield last;
  }
}

function signature(place: Place, documents: readonly TallyDocument[]): string {
  const all = documents.map((document) =>
    JSON.stringify([
      document._id,
      facetIn(place, document),
      revisionIn(place, document),
      document.counted ?? null,
    ]),
  );
  return all.sort().join();
}

function inWords(counts: LedgerDocument['counts']): string {
  return JSON.stringify(counts.toSorted((a, b) => (a.of < b.of ? -1 : 1)));
}
