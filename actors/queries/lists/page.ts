/**
 * A page of a list, newest first, and its exact total, at a cost that does not grow with the list.
 *
 * 1. Pages near the end are read from the end: a page's cost is the shorter way to it.
 * 2. A total that contradicts its page is counted anew: some writer has bypassed the actors.
 */
import type { SizedDocument } from '../../../shared/ports/sized-document.ts';
import type { Document } from '../../../shared/ports/store.ts';
import type { CountedCollection, CountedName } from '../../counters/counted-collection.ts';
import type { RecountRequests } from '../../counters/recount-request.ts';
import { readTotal } from '../../counters/totals.ts';
import type { Environment } from '../../environment.ts';
import type { DocumentOf, Filter, Order, PathOf } from '../../model/collections.ts';
import { conditionAt, orderBy } from '../../runtime/computed.ts';
import type { OrganizationScheduler } from '../../runtime/organization-scheduler.ts';
import type { IndexCache } from '../../search/index-cache.ts';
import { skipOf } from './answer.ts';
import { ROWS } from './parts.ts';

/** From this offset on the page waits for the total, to choose the shorter way. */
const DEEP = 1_000;

export interface PageRequest<Of extends CountedName> {
  readonly countedCollection: CountedCollection<Of>;
  /** The requested filter: equalities, and facets of some values. */
  readonly filter: Filter<Of>;
  /** The same for the index: it lists every value of a field that was not requested. */
  readonly indexedFilter: Filter<Of>;
  /** The field that orders the list; `_id` decides between equals. */
  readonly by: PathOf<Of>;
  readonly index: Order<Of>;
  readonly page: number;
  readonly limit: number;
}

export interface Page<T extends Document> {
  readonly rows: readonly SizedDocument<T>[];
  readonly total: number;
}

export interface Lists {
  readonly environment: Environment;
  readonly recountRequests: RecountRequests;
  readonly indexCache: IndexCache;
  /** Schedules large parts. */
  readonly scheduler: OrganizationScheduler;
}

export async function pageOf<Of extends CountedName>(
  { environment, recountRequests }: Pick<Lists, 'environment' | 'recountRequests'>,
  request: PageRequest<Of>,
): Promise<Page<DocumentOf<Of>>> {
  const { store } = environment;
  const { countedCollection, filter, indexedFilter, index } = request;
  const orgId = String(conditionAt(filter, countedCollection.orgId));
  const reading = readTotal(store, countedCollection, filter);
  const known = skipOf(request) < DEEP ? null : await reading;
  const [rows, counted] = await Promise.all([read(environment, request, known), reading]);
  if (counted !== null && agrees(request, rows.length, counted)) return { rows, total: counted };
  const total = await store.count(countedCollection.collection, indexedFilter, index);
  if (counted === null) {
    recountRequests.requestCounter(countedCollection, orgId);
    return { rows, total };
  }
  if (total !== counted) recountRequests.requestRecount(countedCollection, orgId);
  return { rows: await read(environment, request, total), total };
}

async function read<Of extends CountedName>(
  { store }: Environment,
  request: PageRequest<Of>,
  total: number | null,
): Promise<readonly SizedDocument<DocumentOf<Of>>[]> {
  const { countedCollection, indexedFilter, by, index, limit } = request;
  const skip = skipOf(request);
  if (total !== null && skip >= total) return [];
  const fromEnd = total !== null && skip > total / 2;
  const count = fromEnd ? Math.min(limit, total - skip) : limit;
  const rows = await store.find(countedCollection.collection, indexedFilter, {
    ...ROWS,
    sort: orderBy<Of>([by, '_id'], fromEnd ? 1 : -1),
    skip: fromEnd ? total - skip - count : skip,
    limit: count,
    index,
  });
  return fromEnd ? rows.reverse() : rows;
}

/** An index of the filter's fields, then the list's order. */
export function listIndex<Of extends CountedName>(
  found: readonly PathOf<Of>[],
  by: PathOf<Of>,
): Order<Of> {
  return { ...orderBy<Of>(found, 1), ...orderBy<Of>([by, '_id'], -1) };
}

type PageOf = Pick<PageRequest<CountedName>, 'page' | 'limit'>;

function agrees(request: PageOf, rows: number, total: number): boolean {
  const skip = skipOf(request);
  return rows === Math.max(0, Math.min(request.limit, total - skip));
}
