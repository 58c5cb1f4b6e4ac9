/**
 * Queries and writes on a collection or on paths that only the running program knows. The compiler
 * checks that each path is one of the collection. It checks a value where the path has a type.
 */
import type { Document, PlainFilter, PlainQuery, PlainWrite } from '../../shared/ports/store.ts';
import type { ValueAt } from '../../shared/ports/store-paths.ts';
import type {
  Change,
  DocumentOf,
  ExistenceQuery,
  Filter,
  Name,
  Order,
  PathOf,
  Unkeyed,
  Write,
} from '../model/collections.ts';

type Direction = 1 | -1;
/** Paths of every collection, and of every collection with an outbox. */
type Common = '_id' | 'pending';

export function where<Of extends Name>(path: PathOf<Of> | Common, condition: unknown): Filter<Of>;
export function where(path: string, condition: unknown): PlainFilter {
  return { [path]: condition };
}

export function whereAll<Of extends Name>(
  conditions: readonly (readonly [path: PathOf<Of> | Common, condition: unknown])[],
): Filter<Of>;
export function whereAll(
  conditions: readonly (readonly [path: string, condition: unknown])[],
): PlainFilter {
  return Object.fromEntries(conditions);
}

/** One filter of several; of two conditions on one path the later counts. */
export function merged<Of extends Name>(...filters: readonly Filter<Of>[]): Filter<Of>;
export function merged(...filters: readonly PlainFilter[]): PlainFilter {
  return Object.assign({}, ...filters);
}

/** By the paths, in their order. */
export function orderBy<Of extends Name>(
  paths: readonly (PathOf<Of> | Common)[],
  direction: Direction,
): Order<Of>;
export function orderBy(paths: readonly string[], direction: Direction): PlainFilter {
  return Object.fromEntries(paths.map((path) => [path, direction]));
}

export function projectionOf<At extends string>(paths: readonly At[]): { readonly [_ in At]: 1 };
export function projectionOf(paths: readonly string[]): PlainFilter {
  return Object.fromEntries(paths.map((path) => [path, 1]));
}

/** What a filter asks of a path. */
export function conditionAt(filter: object, path: string): unknown {
  return Reflect.get(filter, path);
}

export function questionOf<Of extends Name>(collection: Of, filter: Filter<Of>): ExistenceQuery;
export function questionOf(collection: string, filter: PlainFilter): PlainQuery {
  return { collection, filter };
}

/** Some fields of a collection's documents; an undefined one is absent. */
type Fields<Of extends Name> = {
  readonly [At in PathOf<Of>]?: ValueAt<DocumentOf<Of>, At> | undefined;
};

/** Inserts the fields that are present. */
export function insertOf<Of extends Name>(collection: Of, fields: Document & Fields<Of>): Write;
export function insertOf(insert: string, { _id, ...fields }: Document): PlainWrite {
  return { insert, document: { _id, ...presentIn(fields) } };
}

/** Sets the fields that are present, and removes those that are absent. */
export function changeOf<Of extends Name>(fields: Fields<Of>): Change<Of>;
export function changeOf(fields: PlainFilter): PlainFilter {
  const absent = Object.keys(fields).filter((name) => fields[name] === undefined);
  const $unset = Object.fromEntries(absent.map((name) => [name, '']));
  return { $set: presentIn(fields), ...(absent.length > 0 ? { $unset } : {}) };
}

function presentIn(fields: object): PlainFilter {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

interface Updated<Of extends Unkeyed> {
  readonly filter: Filter<Of>;
  readonly change: Change<Of>;
  readonly upsert?: boolean;
  readonly many?: boolean;
}

export function updateOf<Of extends Unkeyed>(collection: Of, updated: Updated<Of>): Write;
export function updateOf(
  update: string,
  updated: Omit<Extract<PlainWrite, { readonly update: string }>, 'update'>,
): PlainWrite {
  return { update, ...updated };
}

export function removalOf<Of extends Unkeyed>(collection: Of, filter: Filter<Of>): Write;
export function removalOf(remove: string, filter: PlainFilter): PlainWrite {
  return { remove, filter };
}
