/**
 * The store as tests use it: they write parts of documents, and documents that an earlier version
 * or a fault may have left. What they read is whole documents, or of a type that they name.
 */
import type { Collections } from '../../actors/model/collections.ts';
import type * as port from '../../shared/ports/store.ts';
import type {
  PlainFilter,
  PlainOptions,
  PlainStore,
  PlainWrite,
} from '../../shared/ports/store.ts';

/** What any document has. */
export type Stored = port.Document;
export type Document = Readonly<Record<string, unknown>> & { readonly _id: string };
export type Filter = PlainFilter;
export type IndexKeys = Readonly<Record<string, 1 | -1>>;

export interface FindOptions extends PlainOptions {
  readonly sort?: IndexKeys;
  readonly index?: IndexKeys;
}

/** A literal document may have any fields. */
export type Write =
  | Exclude<PlainWrite, { readonly insert: string }>
  | { readonly insert: string; readonly document: Document | Stored };
export type Unkeyed = string;

type Named<Name extends keyof Collections> = Collections[Name]['document'];

export interface Store extends PlainStore {
  commit(
    writes: readonly Write[],
    options?: port.CommitOptions,
  ): Promise<readonly port.WriteOutcome[]>;
  byId<Name extends keyof Collections>(collection: Name, id: string): Promise<Named<Name> | null>;
  byId<T extends Stored = Document>(collection: string, id: string): Promise<T | null>;
  find<Name extends keyof Collections>(
    collection: Name,
    filter: Filter,
    options?: FindOptions,
  ): Promise<Named<Name>[]>;
  find<T extends Stored = Document>(
    collection: string,
    filter: Filter,
    options?: FindOptions,
  ): Promise<T[]>;
  findOne<Name extends keyof Collections>(
    collection: Name,
    filter: Filter,
    options?: FindOptions,
  ): Promise<Named<Name> | null>;
  findOne<T extends Stored = Document>(
    collection: string,
    filter: Filter,
    options?: FindOptions,
  ): Promise<T | null>;
}
