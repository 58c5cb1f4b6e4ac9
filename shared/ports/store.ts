/** The record: journaled commits, and reads. */
export type Filter = Readonly<Record<string, unknown>>;

export type Document = Readonly<Record<string, unknown>> & { readonly _id: string };

/** Documents by collection; `actors/model` adds them. */
// biome-ignore lint/suspicious/noEmptyInterface: its members are those of `actors/model`
export interface Collections {}

/**
 * Shard keys of collections that are sharded by another field than `_id`, as every change names
 * them; `actors/model` adds them. A change without its key would go to every shard (D340).
 */
// biome-ignore lint/suspicious/noEmptyInterface: its members are those of `actors/model`
export interface ShardKeys {}

/** Collections whose changes name no shard key. */
export type Unkeyed = Exclude<keyof Collections, keyof ShardKeys>;

/** The documents that a write changes: `Verb` names their collection. */
type Place<Verb extends string> =
  | ({ readonly [_ in Verb]: Unkeyed } & { readonly filter: Filter })
  | {
      [Name in keyof ShardKeys]: { readonly [_ in Verb]: Name } & {
        readonly filter: Filter & ShardKeys[Name];
      };
    }[keyof ShardKeys];

/** One write of a grouped commit. */
export type Write =
  | { readonly insert: string; readonly document: Document }
  /** `upsert` inserts filter + update where nothing matches: a compare-and-set on a version then
   * fails with `duplicate` instead of silently matching nothing. */
  | (Place<'update'> & {
      readonly change:
        | Readonly<Record<string, unknown>>
        | readonly Readonly<Record<string, unknown>>[];
      readonly upsert?: boolean;
      readonly many?: boolean;
    })
  | Place<'remove'>;

/** `duplicate` names the index whose uniqueness was violated (`_id_` for the primary key). */
export type WriteOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly duplicate: string }
  /** `lasting`: the write itself is refused (too large, a bad value), and a repeat would be too. */
  | { readonly ok: false; readonly error: Error; readonly lasting?: boolean };

export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  readonly limit?: number;
  readonly project?: Readonly<Record<string, 0 | 1>>;
  /** The keys of the index to walk: without, a deep page may be planned anew half-way. */
  readonly index?: IndexKeys;
  /** Answers `SizedDocument`s: those of more stored bytes come without their fields. */
  readonly wholeMaxBytes?: number;
}

type WholeOptions = Omit<FindOptions, 'wholeMaxBytes'>;

export type IndexKeys = Readonly<Record<string, 1 | -1>>;

export interface CommitOptions {
  /** Nothing waits for these writes: they may gather for a moment. */
  readonly deferrable?: boolean;
}

export interface ExistenceQuery {
  readonly collection: string;
  readonly filter: Filter;
}

/** The record. Data that must survive is stored here before anyone is informed of it. */
export interface Store {
  /**
   * Journaled, grouped with the process's other commits of this moment. Resolves when all the
   * writes are durable or refused, one outcome per write. Unordered. Throws when the outcome is in
   * doubt (connection lost): then each write happened or did not.
   */
  commit(writes: readonly Write[], options?: CommitOptions): Promise<readonly WriteOutcome[]>;
  /** One document, grouped with the process's other current reads of the collection. */
  byId<Name extends keyof Collections>(
    collection: Name,
    id: string,
  ): Promise<Collections[Name] | null>;
  byId<T extends Document>(collection: string, id: string): Promise<T | null>;
  /** By a type argument: some fields of the documents, or those of any collection. */
  find<Name extends keyof Collections>(
    collection: Name,
    filter: Filter,
    options?: WholeOptions,
  ): Promise<Collections[Name][]>;
  find<T extends Document>(collection: string, filter: Filter, options?: FindOptions): Promise<T[]>;
  findOne<Name extends keyof Collections>(
    collection: Name,
    filter: Filter,
    options?: WholeOptions,
  ): Promise<Collections[Name] | null>;
  findOne<T extends Document>(
    collection: string,
    filter: Filter,
    options?: FindOptions,
  ): Promise<T | null>;
  /** Of which of the questions there is any document: all of them in one call. */
  existsEach(questions: readonly ExistenceQuery[]): Promise<readonly boolean[]>;
  /** By an empty filter: what the store remembers, at once; after a crash of its own it may be
   * somewhat wrong. */
  count(collection: string, filter: Filter, index?: IndexKeys): Promise<number>;
}
