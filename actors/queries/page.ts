/**
 * A page of a list, newest first, and its exact total, at a cost that does not grow with the list.
 *
 * 1. Pages near the end are read from the end: a page's cost is the shorter way to it.
 * 2. A total that contradicts its page is counted anew: some writer has bypassed the actors.
 */
import type { SizedDocument } from '../../shared/ports/sized-document.ts';
import type { Document, Filter, IndexKeys } from '../../shared/ports/store.ts';
import type { CountedCollection } from '../counters/counted-collection.ts';
import type { RecountRequests } from '../counters/recount-request.ts';
import { readTotal } from '../counters/totals.ts';
import type { Environment } from '../environment.ts';
import type { OrganizationScheduler } from '../runtime/organization-scheduler.ts';
import type { IndexCache } from '../search/index-cache.ts';
import { skipOf } from './answer.ts';
import { ROWS } from './parts.ts';

/** From this offset on the page waits for the total, to choose the shorter way. */
const DEEP = 1_000;

export interface PageRequest {
  readonly countedCollection: CountedCollection;
  /** The requested filter: equalities only. */
  readonly filter: Filter;
  /** The same for the index: it lists every value of a field that was not requested. */
  readonly indexedFilter: Filter;
  /** The field that orders the list; `_id` decides between equals. */
  readonly by: string;
  readonly index: IndexKeys;
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

export async function pageOf<T extends Document>(
  { environment, recountRequests }: Pick<Lists, 'environment' | 'recountRequests'>,
  request: PageRequest,
): Promise<Page<T>> {
  const { store } = environment;
  const { countedCollection, filter, indexedFilter, index } = request;
  const orgId = String(filter[countedCollection.orgId]);
  const reading = readTotal(store, countedCollection, filter);
  const known = skipOf(request) < DEEP ? null : await reading;
  const [rows, counted] = await Promise.all([read<T>(environment, request, known), reading]);
  if (counted !== null && agrees(request, rows.length, counted)) return { rows, total: counted };
  const total = await store.count(countedCollection.collection, indexedFilter, index);
  if (counted === null) {
    recountRequests.requestCounter(countedCollection, orgId);
    return { rows, total };
  }
  if (total !== counted) recountRequests.requestRecount(countedCollection, orgId);
  return { rows: await read<T>(environment, request, total), total };
}

async function read<T extends Document>(
  { store }: Environment,
  request: PageRequest,
  total: number | null,
): Promise<readonly SizedDocument<T>[]> {
  const { countedCollection, indexedFilter, by, index, limit } = request;
  const skip = skipOf(request);
  if (total !== null && skip >= total) return [];
  const fromEnd = total !== null && skip > total / 2;
  const rest = fromEnd ? Math.min(limit, total - skip) : limit;
  const rows = await store.find<SizedDocument<T>>(countedCollection.collection, indexedFilter, {
    ...ROWS,
    sort: fromEnd ? { [by]: 1, _id: 1 } : { [by]: -1, _id: -1 },
    skip: fromEnd ? total - skip - rest : skip,
    limit: rest,
    index,
  });
  return fromEnd ? rows.reverse() : rows;
}

/** An index of the filter's fields, then the list's order. */
export function listIndex(found: readonly string[], by: string): IndexKeys {
  return { ...Object.fromEntries(found.map((path) => [path, 1 as const])), [by]: -1, _id: -1 };
}

function agrees(request: PageRequest, rows: number, total: number): boolean {
  const skip = skipOf(request);
  return rows === Math.max(0, Math.min(request.limit, total - skip));
}
