/**
 * Makes a ledger, or makes it right, while others go on writing: counts facet by facet, by an index
 * in which a document has its place as long as its facet is the same.
 *
 * 1. What is not marked has been counted as it is; what is marked, as it says. So a facet holds as
 *    many as there are, less the marked ones that are, plus the marked ones that say so.
 * 2. That is true of one moment. A facet whose documents came or went while they were counted is
 *    counted again; the ledger is replaced only if nobody has changed it meanwhile.
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
  facetFilter,
  facetIn,
  facetOf,
  NOT_COUNTED,
  OUTSIDE,
  outsideOf,
  type Place,
  revisionIn,
  type TallyDocument,
  valueAt,
} from './places.ts';

/** Of one facet. */
const TRIES = 8;
const FIRST_REVISION = 1;

interface Counting {
  readonly store: Store;
  readonly place: Place;
  readonly orgId: string;
}

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
  const counts = await countFacets({ store, place, orgId });
  if (!counts) return null;
  const _id = ledgerId(place, orgId);
  const version = known?.version ?? 0;
  const next: LedgerDocument = {
    _id,
    orgId,
    // A ledger that was lost begins beyond what its documents say that they were told.
    version: Math.max(version + 1, known ? 0 : now),
    counts: sumOf(counts),
    folding: [],
    checkedAt: now,
  };
  if (!(await replace(store, { _id, version }, next))) return null;
  return { corrected: known !== null && inWords(known.counts) !== inWords(next.counts) };
}

/** Each facet that there is, or that somebody says to be; null when one does not hold still. */
async function countFacets(counting: Counting): Promise<LedgerDocument['counts'] | null> {
  const { store, place, orgId } = counting;
  const counts = new Map<string, number>();
  for (;;) {
    const said = (await markedIn(store, place, { orgId })).map((each) => asCounted(place, each));
    const facets = new Set([...(await facetsOf(counting, [])), ...said, OUTSIDE]);
    const left = [...facets].filter((of) => of !== NOT_COUNTED && !counts.has(of));
    if (left.length === 0) return [...counts].map(([of, n]) => ({ of, n }));
    for (const facet of left) {
      const n = await countOne(counting, facet);
      if (n === null) return null;
      counts.set(facet, n);
    }
  }
}

async function countOne({ store, place, orgId }: Counting, facet: string): Promise<number | null> {
  const of = facet === OUTSIDE ? outsideOf(orgId) : orgId;
  const filter = { [place.orgId]: of, ...facetFilter(place, facet) };
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await markedIn(store, place, { orgId });
    const n = await store.count(place.collection, filter, place.index);
    const after = await markedIn(store, place, { orgId });
    if (hasMoved(place, facet, { before, after })) continue;
    const are = before.filter((document) => facetIn(place, document) === facet);
    const say = before.filter((document) => asCounted(place, document) === facet);
    return n - are.length + say.length;
  }
  return null;
}

interface Marked {
  readonly before: readonly TallyDocument[];
  readonly after: readonly TallyDocument[];
}

/**
 * Whether a document may have come into the facet, or have left it, between two looks. A document
 * that has changed may have been in any facet meanwhile; one that was made and not changed since
 * has been in its own only.
 */
function hasMoved(place: Place, facet: string, { before, after }: Marked): boolean {
  const known = new Map(before.map((document) => [document._id, document]));
  return after.some((document) => {
    const then = known.get(document._id);
    const is = facetIn(place, document);
    const was = then ? facetIn(place, then) : asCounted(place, document);
    if (then && is === was) return revisionIn(place, then) !== revisionIn(place, document);
    const made = !then && was === NOT_COUNTED && revisionIn(place, document) === FIRST_REVISION;
    return made ? is === facet : true;
  });
}

/** Every facet of which there are documents. */
async function facetsOf(counting: Counting, values: readonly unknown[]): Promise<string[]> {
  const { place } = counting;
  const facet = place.facets[values.length];
  if (!facet) return [facetOf(values)];
  const found: string[] = [];
  for await (const value of valuesOf(counting, { facet, values })) {
    found.push(...(await facetsOf(counting, [...values, value])));
  }
  return found;
}

/** Every value of a field beside those of the fields before it, one by one by the index. */
async function* valuesOf(
  { store, place, orgId }: Counting,
  { facet, values }: { readonly facet: Facet; readonly values: readonly unknown[] },
): AsyncGenerator<unknown> {
  if (facet.values) {
    yield* facet.values;
    return;
  }
  const { collection, facets, index } = place;
  const { path } = facet;
  const known = values.map((value, at): [string, unknown] => [facets[at]?.path ?? '', value]);
  const within: Filter = { [place.orgId]: orgId, ...Object.fromEntries(known) };
  const options = { sort: { [path]: 1 }, project: { [path]: 1 }, index } as const;
  const none = await store.findOne(collection, { ...within, [path]: null }, options);
  if (none) yield null;
  for (let last = ''; ; ) {
    const beyond = { ...within, [path]: { $gt: last } };
    const next = await store.findOne(collection, beyond, options);
    if (!next) return;
    last = String(valueAt(next, path));
    yield last;
  }
}

function inWords(counts: LedgerDocument['counts']): string {
  return JSON.stringify(counts.toSorted((a, b) => (a.of < b.of ? -1 : 1)));
}
