/**
 * Exact totals at a cost that does not grow: the ledger, and what is marked since.
 * A ledger that changes between the two reads is read again.
 */
import type { Filter, Store } from '../../shared/ports.ts';
import { type LedgerDocument, markedIn, readLedger } from './ledger.ts';
import { asCounted, facetIn, facetTest, type Place } from './places.ts';

const TRIES = 5;
/** Beyond it the store counts faster: half a microsecond each, by its index. */
const MARKED_MAX = 2_000;

/**
 * Null where there is no ledger yet, it changes too fast, too much is marked, or the filter asks
 * for more than facets.
 */
export async function tallied(store: Store, place: Place, filter: Filter): Promise<number | null> {
  const belongs = facetTest(place, filter);
  if (!belongs) return null;
  const orgId = String(filter[place.orgId]);
  let ledger = await readLedger(store, place, orgId);
  for (let tries = 0; ledger && tries < TRIES; tries++) {
    const known: LedgerDocument = ledger;
    const moved = await movedSince(store, place, { ledger: known, belongs });
    if (moved === null) return null;
    ledger = await readLedger(store, place, orgId);
    if (ledger?.version !== known.version) continue;
    const counted = known.counts.reduce((sum, { of, n }) => sum + (belongs(of) ? n : 0), 0);
    return counted + moved;
  }
  return null;
}

async function movedSince(
  store: Store,
  place: Place,
  known: { readonly ledger: LedgerDocument; readonly belongs: (facet: string) => boolean },
): Promise<number | null> {
  const { ledger, belongs } = known;
  const folding = new Map(ledger.folding.map(({ id, to }) => [id, to]));
  const documents = await markedIn(store, place, { orgId: ledger.orgId, limit: MARKED_MAX + 1 });
  if (documents.length > MARKED_MAX) return null;
  let moved = 0;
  for (const document of documents) {
    const was = folding.get(document._id) ?? asCounted(place, document);
    moved += Number(belongs(facetIn(place, document))) - Number(belongs(was));
  }
  return moved;
}
