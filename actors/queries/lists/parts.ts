/**
 * Lists in parts: a page's documents are read, rendered and answered some at a time. No process
 * holds a page of the largest documents (D124).
 *
 * 1. The page's ids and its total are read before the first part, so its status is known. A change
 *    between two parts neither repeats nor skips a document.
 * 2. A part holds `LIST_PART_BYTES` of stored documents, or a single one that is larger.
 * 3. The rest is an ordinary query: any process answers it, and it can be repeated.
 */
import { LIST_PART_BYTES, LIST_ROW_MAX_BYTES } from '../../../shared/limits.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import type { SizedDocument } from '../../../shared/ports/sized-document.ts';
import type { Document } from '../../../shared/ports/store.ts';
import type { AnswerRest } from '../../../shared/wire/answer-rest.ts';
import type { RestQueries } from '../../../shared/wire/query-map.ts';
import type { Environment } from '../../environment.ts';
import type { DocumentOf, Name, Store } from '../../model/collections.ts';
import { where } from '../../runtime/computed.ts';
import type { OrganizationScheduler } from '../../runtime/organization-scheduler.ts';

/** Options of the find that begins a page. */
export const ROWS = { wholeMaxBytes: LIST_ROW_MAX_BYTES } as const;
/** A smaller page is rendered without waiting for a turn. */
const SMALL_BYTES = 64 * 1024;

interface PageQuery {
  readonly orgId: string;
  readonly page: number;
  readonly limit: number;
}

export interface Listing<Q extends PageQuery, T extends Document> {
  /** Name of the query that answers the rest of a page. */
  readonly rest: keyof RestQueries;
  /** The fields that are shown, of the documents with these ids. */
  readonly read: (store: Store, ids: Ids) => Promise<readonly T[]>;
  /** Documents as the API shows them, in their order. */
  readonly show: (
    environment: Environment,
    query: Q,
    documents: readonly T[],
  ) => Promise<readonly object[]>;
}

type Ids = { readonly _id: { readonly $in: readonly string[] } };

/** A document of a page: its id and its stored bytes. */
type Row = readonly [id: string, bytes: number];

/** The rest of a page. */
export interface RemainingPage<Q extends PageQuery> {
  readonly query: Q;
  readonly rows: readonly Row[];
  /** Whether a document has been answered before. */
  readonly begun: boolean;
  /** End of the body. */
  readonly tail: string;
}

export interface Listed<Q extends PageQuery, T extends Document> {
  readonly query: Q;
  readonly rows: readonly SizedDocument<T>[];
  readonly total: number;
  /** Properties of the body before its `data`. */
  readonly before?: object;
}

interface Parted {
  readonly environment: Environment;
  readonly scheduler: OrganizationScheduler;
}

/** A page's answer: the whole page where it is small, else its first part. */
export function answerPage<Q extends PageQuery, T extends Document>(
  { environment, scheduler }: Parted,
  listing: Listing<Q, T>,
  { query, rows, total, before = {} }: Listed<Q, T>,
): Promise<Answer> {
  const { page, limit } = query;
  const remaining: RemainingPage<Q> = {
    query,
    rows: rows.map(({ _id, bytes }) => [_id, bytes]),
    begun: false,
    tail: `],${membersOf({ page, limit, total })}}`,
  };
  const known = new Map(rows.flatMap(({ _id, whole }) => (whole ? [[_id, whole]] : [])));
  const members = membersOf(before);
  const head = `{${members}${members && ','}"data":[`;
  const answered = () => answerPart(environment, listing, { remaining, known, head });
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  return bytes <= SMALL_BYTES ? answered() : scheduler.schedule(query.orgId, answered);
}

/** Answers the rest of a page, part by part. */
export function restOf<Q extends PageQuery, T extends Document>(
  scheduler: OrganizationScheduler,
  listing: Listing<Q, T>,
): (environment: Environment, remaining: RemainingPage<Q>) => Promise<Answer> {
  return (environment, remaining) =>
    scheduler.schedule(remaining.query.orgId, () =>
      answerPart(environment, listing, { remaining, known: new Map<string, T>(), head: '' }),
    );
}

function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}

interface Part<Q extends PageQuery, T extends Document> {
  readonly remaining: RemainingPage<Q>;
  readonly known: ReadonlyMap<string, T>;
  readonly head: string;
}

async function answerPart<Q extends PageQuery, T extends Document>(
  environment: Environment,
  listing: Listing<Q, T>,
  { remaining, known, head }: Part<Q, T>,
): Promise<Answer> {
  const { query, rows, begun, tail } = remaining;
  const mine = rows.slice(0, countOf(rows));
  const others = rows.slice(mine.length);
  const documents = await read(environment, listing, { rows: mine, known });
  const shown = await listing.show(environment, query, documents);
  const data = shown.map((each) => JSON.stringify(each)).join(',');
  const comma = begun && shown.length > 0 ? ',' : '';
  if (others.length === 0) return { status: 200, body: `${head}${comma}${data}${tail}` };
  const next: RemainingPage<Q> = { query, rows: others, begun: begun || shown.length > 0, tail };
  const rest: AnswerRest = { resource: listing.rest, payload: next };
  return { status: 200, body: `${head}${comma}${data}`, rest };
}

/** Number of rows in the next part. */
function countOf(rows: readonly Row[]): number {
  let bytes = 0;
  const end = rows.findIndex(([, each]) => {
    bytes += each;
    return bytes > LIST_PART_BYTES;
  });
  return end < 0 ? rows.length : Math.max(1, end);
}

/** The documents with these ids in their order, as the find of a page answers them. */
export async function rowsOf<Of extends Name>(
  store: Store,
  collection: Of,
  ids: readonly string[],
): Promise<readonly SizedDocument<DocumentOf<Of>>[]> {
  if (ids.length === 0) return [];
  const rows = await store.find(collection, where<Of>('_id', { $in: [...ids] }), ROWS);
  const byId = new Map(rows.map((row) => [row._id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** In the order of the rows; a removed document is omitted. */
async function read<Q extends PageQuery, T extends Document>(
  { store }: Environment,
  { read: readAll }: Listing<Q, T>,
  { rows, known }: { readonly rows: readonly Row[]; readonly known: ReadonlyMap<string, T> },
): Promise<readonly T[]> {
  const ids = rows.map(([id]) => id);
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length === 0) return ids.flatMap((id) => known.get(id) ?? []);
  const found = await readAll(store, { _id: { $in: missing } });
  const byId = new Map(found.map((document) => [document._id, document]));
  return ids.flatMap((id) => known.get(id) ?? byId.get(id) ?? []);
}
