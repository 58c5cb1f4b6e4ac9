/**
 * How many documents there are of each facet: one ledger for each organization and collection.
 *
 * 1. A ledger changes by compare-and-set of `version` only. One step counts some marked documents
 *    anew and names them in `folding`; then the documents are told; then `folding` is emptied, and
 *    only then may the next step begin. Whoever finds `folding` filled finishes it: telling twice
 *    does nothing, and a late one is stopped by `counted.at`.
 * 2. So at any version: the ledger, less what marked documents were counted as, plus what they are,
 *    is exact (`totals.ts`).
 */
import type { Document, Store, Write } from '../../shared/ports.ts';
import {
  asCounted,
  facetFilter,
  facetIn,
  NOT_COUNTED,
  type Place,
  revisionIn,
  type TallyDocument,
} from './places.ts';

export const LEDGERS = 'tallies';
/** Which documents a step told, for those who keep them in memory. */
export const STEPS = 'tallySteps';
/** Of one step: bounds the ledger's size, and how long other changes wait for it. */
export const STEP_MAX = 500;

export interface Folding {
  readonly id: string;
  readonly to: string;
  readonly revision: unknown;
  /** It had no `counted` yet. */
  readonly bare: boolean;
}

export interface LedgerDocument extends Document {
  readonly orgId: string;
  readonly version: number;
  readonly counts: readonly { readonly of: string; readonly n: number }[];
  readonly folding: readonly Folding[];
  /** When all the documents were last counted, epoch milliseconds. */
  readonly checkedAt: number;
}

export interface StepDocument extends Document {
  readonly ids: readonly string[];
  readonly at: number;
}

export function ledgerId({ collection }: Place, orgId: string): string {
  return `${collection}:${orgId}`;
}

export function stepId(ledger: string, version: number): string {
  return `${ledger}:${String(version).padStart(16, '0')}`;
}

export function readLedger(
  store: Store,
  place: Place,
  orgId: string,
): Promise<LedgerDocument | null> {
  return store.byId<LedgerDocument>(LEDGERS, ledgerId(place, orgId));
}

/** The documents that may be counted as something else than they are. */
export function markedIn(
  store: Store,
  place: Place,
  { orgId, limit }: { readonly orgId: string; readonly limit?: number },
): Promise<TallyDocument[]> {
  const paths = [place.orgId, place.revision, ...place.facets.map(({ path }) => path), 'counted'];
  return store.find<TallyDocument>(
    place.collection,
    { recount: orgId },
    {
      project: Object.fromEntries(paths.map((path) => [path, 1 as const])),
      ...(limit === undefined ? {} : { limit, sort: { _id: 1 } }),
    },
  );
}

/** Counts some marked documents anew; answers how many. The ledger must be there. */
export async function foldStep(
  store: Store,
  place: Place,
  { ledger, now }: { readonly ledger: LedgerDocument; readonly now: number },
): Promise<number> {
  if (ledger.folding.length > 0) await settleStep(store, place, { ledger, now });
  const { orgId, version } = ledger;
  const documents = await markedIn(store, place, { orgId, limit: STEP_MAX });
  if (documents.length === 0) return 0;
  const moved = documents.flatMap((document) => [
    { of: asCounted(place, document), n: -1 },
    { of: facetIn(place, document), n: 1 },
  ]);
  // A document may come from elsewhere and say that it was told later than this ledger began.
  const told = documents.map(({ counted }) => counted?.at ?? 0);
  const next: LedgerDocument = {
    ...ledger,
    version: Math.max(version, ...told) + 1,
    counts: sumOf([...ledger.counts, ...moved]),
    folding: documents.map((document) => ({
      id: document._id,
      to: facetIn(place, document),
      revision: revisionIn(place, document),
      bare: document.counted === undefined,
    })),
  };
  if (!(await replace(store, ledger, next))) return 0;
  await settleStep(store, place, { ledger: next, now });
  return documents.length;
}

/** Compare-and-set; false when another process was first. */
export async function replace(
  store: Store,
  { _id, version }: Pick<LedgerDocument, '_id' | 'version'>,
  next: LedgerDocument,
): Promise<boolean> {
  const { _id: _, ...fields } = next;
  const write: Write =
    version === 0
      ? { insert: LEDGERS, document: next }
      : { update: LEDGERS, filter: { _id, version }, change: { $set: fields }, upsert: true };
  const [written] = await store.commit([write]);
  if (written && !written.ok && 'error' in written) throw written.error;
  return written?.ok === true;
}

/** Tells the documents of the ledger's step how they are counted now. */
export async function settleStep(
  store: Store,
  place: Place,
  { ledger, now }: { readonly ledger: LedgerDocument; readonly now: number },
): Promise<void> {
  const { _id, version, folding } = ledger;
  const ids = folding.map(({ id }) => id);
  const step = { _id: stepId(_id, version), ids, at: now };
  if (place.told) await noted(store, step);
  const groups = [...Map.groupBy(folding, groupKey).values()];
  // What has not changed since it was read is done with; the others stay marked.
  await committed(store, groups.map(tellUnchanged(place, version)));
  await committed(store, groups.map(tellChanged(place, version)));
  const emptied = { update: LEDGERS, filter: { _id, version }, change: { $set: { folding: [] } } };
  await committed(store, [emptied]);
}

/** Before anybody is told: who reads marks first and steps then misses none. */
async function noted(store: Store, step: StepDocument): Promise<void> {
  const [written] = await store.commit([{ insert: STEPS, document: step }]);
  if (written?.ok || (written && 'duplicate' in written)) return;
  throw new Error('a step was refused', { cause: written });
}

async function committed(store: Store, writes: readonly Write[]): Promise<void> {
  for (const outcome of await store.commit(writes)) {
    if (!outcome.ok) throw new Error('a tally was refused', { cause: outcome });
  }
}

function groupKey({ to, revision, bare }: Folding): string {
  return JSON.stringify([to, revision, bare]);
}

function tellUnchanged(place: Place, version: number) {
  return (group: readonly Folding[]): Write => {
    const { to, revision } = first(group);
    return {
      update: place.collection,
      many: true,
      filter: { ...untold(group, version), ...facetFilter(place, to), [place.revision]: revision },
      change: { $set: { counted: { of: to, at: version } }, $unset: { recount: '' } },
    };
  };
}

function tellChanged(place: Place, version: number) {
  return (group: readonly Folding[]): Write => ({
    update: place.collection,
    many: true,
    filter: untold(group, version),
    change: { $set: { counted: { of: first(group).to, at: version } } },
  });
}

function untold(group: readonly Folding[], version: number) {
  const { bare } = first(group);
  return {
    _id: { $in: group.map(({ id }) => id) },
    'counted.at': bare ? { $exists: false } : { $lt: version },
  };
}

function first(group: readonly Folding[]): Folding {
  const [one] = group;
  if (!one) throw new TypeError('a group holds one at least');
  return one;
}

/** Facets of which nothing is left are forgotten. */
export function sumOf(counts: LedgerDocument['counts']): LedgerDocument['counts'] {
  const sum = new Map<string, number>();
  for (const { of, n } of counts) sum.set(of, (sum.get(of) ?? 0) + n);
  sum.delete(NOT_COUNTED);
  return [...sum].filter(([, n]) => n !== 0).map(([of, n]) => ({ of, n }));
}
