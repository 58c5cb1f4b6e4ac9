/**
 * A page of a list, newest first, and its exact total, at a cost that does not grow with the list.
 *
 * 1. Pages near the end are read from the end: what a page costs is the shorter way to it.
 * 2. A total that contradicts its page is counted afresh: somebody wrote past the actors.
 */
import type { Document, Filter, IndexKeys } from '../../shared/ports.ts';
import type { SizedDocument } from '../../shared/sized-document.ts';
import type { OrganizationTurns } from '../runtime/organization-turns.ts';
import type { SearchShelf } from '../search/shelf.ts';
import type { Place } from '../tally/places.ts';
import { tallied } from '../tally/totals.ts';
import type { TallyWishes } from '../tally/wishes.ts';
import type { World } from '../world.ts';
import { skipOf } from './answer.ts';
import { ROWS } from './parts.ts';

/** From here on the total is waited for, to know the shorter way. */
const DEEP = 1_000;

export interface Wanted {
  readonly place: Place;
  /** What was asked: equalities only. */
  readonly asked: Filter;
  /** The same, as the index wants it: every value of a field that was not asked for. */
  readonly spelled: Filter;
  /** The field that lists go by; `_id` decides between equals. */
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
  readonly world: World;
  readonly wishes: TallyWishes;
  readonly shelf: SearchShelf;
  /** Of large parts. */
  readonly turns: OrganizationTurns;
}

export async function pageOf<T extends Document>(
  { world, wishes }: Pick<Lists, 'world' | 'wishes'>,
  wanted: Wanted,
): Promise<Page<T>> {
  const { store } = world;
  const { place, asked, spelled, index } = wanted;
  const orgId = String(asked[place.orgId]);
  wishes.asked(place, orgId);
  const reading = tallied(store, place, asked);
  const known = skipOf(wanted) < DEEP ? null : await reading;
  const [rows, tally] = await Promise.all([read<T>(world, wanted, known), reading]);
  if (tally !== null && agrees(wanted, rows.length, tally)) return { rows, total: tally };
  const total = await store.count(place.collection, spelled, index);
  if (tally === null) return { rows, total };
  if (total !== tally) wishes.doubted(place, orgId);
  return { rows: await read<T>(world, wanted, total), total };
}

async function read<T extends Document>(
  { store }: World,
  wanted: Wanted,
  total: number | null,
): Promise<readonly SizedDocument<T>[]> {
  const { place, spelled, by, index, limit } = wanted;
  const skip = skipOf(wanted);
  if (total !== null && skip >= total) return [];
  const fromEnd = total !== null && skip > total / 2;
  const rest = fromEnd ? Math.min(limit, total - skip) : limit;
  const rows = await store.find<SizedDocument<T>>(place.collection, spelled, {
    ...ROWS,
    sort: fromEnd ? { [by]: 1, _id: 1 } : { [by]: -1, _id: -1 },
    skip: fromEnd ? total - skip - rest : skip,
    limit: rest,
    index,
  });
  return fromEnd ? rows.reverse() : rows;
}

/** An index of fields to find by, then the list's order. */
export function listIndex(found: readonly string[], by: string): IndexKeys {
  return { ...Object.fromEntries(found.map((path) => [path, 1 as const])), [by]: -1, _id: -1 };
}

function agrees(wanted: Wanted, rows: number, total: number): boolean {
  const skip = skipOf(wanted);
  return rows === Math.max(0, Math.min(wanted.limit, total - skip));
}
