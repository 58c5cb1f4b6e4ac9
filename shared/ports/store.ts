/**
 * The record: journaled commits, and reads.
 *
 * `Collections` maps names to collections; a caller names a collection, and the types of its
 * documents, filters and changes follow. An adapter knows no collections: it has a `PlainStore`.
 */
import type { Collection, Document } from './collection.ts';
import type { SizedDocument } from './sized-document.ts';
import type { Field, Found, Path, ValueAt, Without } from './store-paths.ts';

export type { Collection, Document, Open } from './collection.ts';

type Mapped<Collections> = { readonly [Name in keyof Collections]: Collection };

interface Operators<Value> {
  readonly $eq?: Value;
  readonly $ne?: Value | null;
  readonly $in?: readonly Value[];
  readonly $nin?: readonly Value[];
  readonly $gt?: Value;
  readonly $gte?: Value;
  readonly $lt?: Value;
  readonly $lte?: Value;
  readonly $exists?: boolean;
  readonly $regex?: string;
}

/** What a path is compared with: a list's elements too, and null for a missing value. */
type Operand<Value> = Value extends undefined
  ? null
  : Value extends readonly (infer Each)[]
    ? Value | Each
    : Value;

type Condition<Operand> = Operand | (Operators<Operand> & { readonly $not?: Operators<Operand> });

/** Of a packed field: its text equals nothing. */
type Presence = { readonly $exists: boolean };

export type Filter<Col extends Collection> = Col extends unknown
  ? {
      readonly [At in Path<Col>]?: At extends keyof Col['packed']
        ? Presence
        : Condition<Operand<ValueAt<Col['document'], At>>>;
    } & {
      readonly $or?: readonly Filter<Col>[];
      readonly $and?: readonly Filter<Col>[];
      readonly $nor?: readonly Filter<Col>[];
    }
  : never;

type Values<Col extends Collection> = {
  readonly [At in Path<Col>]?: Exclude<ValueAt<Col['document'], At>, undefined>;
};

type Pushed<Value> = Value extends readonly (infer Each)[]
  ? Each | { readonly $each: readonly Each[]; readonly $slice?: number }
  : never;

export type Operations<Col extends Collection> = {
  readonly $set?: Values<Col>;
  readonly $setOnInsert?: Values<Col>;
  readonly $max?: Values<Col>;
  readonly $min?: Values<Col>;
  /** Whatever the value. */
  readonly $unset?: { readonly [At in Path<Col>]?: string };
  readonly $inc?: {
    readonly [At in Path<Col>]?: Extract<ValueAt<Col['document'], At>, number>;
  };
  readonly $push?: { readonly [At in Path<Col>]?: Pushed<ValueAt<Col['document'], At>> };
};

/** Stages of an aggregation. */
type Pipeline = readonly Readonly<Record<string, unknown>>[];

export type Change<Col extends Collection> = Operations<Col> | Pipeline;

/** The documents that a write changes: by their shard key, where the collection has one. */
type Place<Col extends Collection> = Filter<Col> & {
  readonly [_ in Col['key']]: string | { readonly $in: readonly string[] };
};

export type Insert<C extends Mapped<C>, Names extends keyof C = keyof C> = {
  [Name in Names]: { readonly insert: Name; readonly document: C[Name]['document'] };
}[Names];

export type Update<C extends Mapped<C>, Names extends keyof C = keyof C> = {
  [Name in Names]: {
    readonly update: Name;
    readonly filter: Place<C[Name]>;
    readonly change: Change<C[Name]>;
    /** `upsert` inserts filter + update where nothing matches: a compare-and-set on a version then
     * fails with `duplicate` instead of silently matching nothing. */
    readonly upsert?: boolean;
    readonly many?: boolean;
  };
}[Names];

export type Remove<C extends Mapped<C>, Names extends keyof C = keyof C> = {
  [Name in Names]: { readonly remove: Name; readonly filter: Place<C[Name]> };
}[Names];

/** One write of a grouped commit. */
export type Write<C extends Mapped<C>, Names extends keyof C = keyof C> =
  | Insert<C, Names>
  | Update<C, Names>
  | Remove<C, Names>;

/** `duplicate` names the index whose uniqueness was violated (`_id_` for the primary key). */
export type WriteOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly duplicate: string }
  /** `lasting`: the write itself is refused (too large, a bad value), and a repeat would be too. */
  | { readonly ok: false; readonly error: Error; readonly lasting?: boolean };

export type Order<Col extends Collection> = Col extends unknown
  ? { readonly [At in Path<Col>]?: 1 | -1 }
  : never;

interface PageOptions<Col extends Collection> {
  readonly sort?: Order<Col>;
  readonly skip?: number;
  readonly limit?: number;
  /** The keys of the index to walk: without, a deep page may be planned anew half-way. */
  readonly index?: Order<Col>;
}

export interface FindOptions<Col extends Collection, At extends Field<Col> = Field<Col>>
  extends PageOptions<Col> {
  readonly project?: { readonly [_ in At]: 1 };
}

/** Leaves fields out. */
export interface WithoutOptions<Col extends Collection, At extends keyof Col['document']>
  extends PageOptions<Col> {
  readonly project: { readonly [_ in At]: 0 };
}

export interface SizedOptions<Col extends Collection> extends PageOptions<Col> {
  /** Answers `SizedDocument`s: those of more stored bytes come without their fields. */
  readonly wholeMaxBytes: number;
}

export interface CommitOptions {
  /** Nothing waits for these writes: they may gather for a moment. */
  readonly deferrable?: boolean;
}

export type ExistenceQuery<C extends Mapped<C>, Names extends keyof C = keyof C> = {
  [Name in Names]: { readonly collection: Name; readonly filter: Filter<C[Name]> };
}[Names];

/** The record. Data that must survive is stored here before anyone is informed of it. */
export interface Store<C extends Mapped<C>> {
  /**
   * Journaled, grouped with the process's other commits of this moment. Resolves when all the
   * writes are durable or refused, one outcome per write. Unordered. Throws when the outcome is in
   * doubt (connection lost): then each write happened or did not.
   */
  commit(writes: readonly Write<C>[], options?: CommitOptions): Promise<readonly WriteOutcome[]>;
  /** One document, grouped with the process's other current reads of the collection. */
  byId<Name extends keyof C>(collection: Name, id: string): Promise<C[Name]['document'] | null>;
  find<Name extends keyof C>(
    collection: Name,
    filter: Filter<C[Name]>,
    options: SizedOptions<C[Name]>,
  ): Promise<SizedDocument<C[Name]['document']>[]>;
  find<Name extends keyof C, At extends keyof C[Name]['document'] & string>(
    collection: Name,
    filter: Filter<C[Name]>,
    options: WithoutOptions<C[Name], At>,
  ): Promise<Without<C[Name]['document'], At>[]>;
  find<Name extends keyof C, At extends Field<C[Name]> = never>(
    collection: Name,
    filter: Filter<C[Name]>,
    options?: FindOptions<C[Name], At>,
  ): Promise<Found<C[Name]['document'], At>[]>;
  findOne<Name extends keyof C, At extends Field<C[Name]> = never>(
    collection: Name,
    filter: Filter<C[Name]>,
    options?: FindOptions<C[Name], At>,
  ): Promise<Found<C[Name]['document'], At> | null>;
  /** Of which of the questions there is any document: all of them in one call. */
  existsEach(questions: readonly ExistenceQuery<C>[]): Promise<readonly boolean[]>;
  /** By an empty filter: what the store remembers, at once; after a crash of its own it may be
   * somewhat wrong. */
  count<Name extends keyof C>(
    collection: Name,
    filter: Filter<C[Name]>,
    index?: Order<C[Name]>,
  ): Promise<number>;
}

export type PlainFilter = Readonly<Record<string, unknown>>;

export type PlainWrite =
  | { readonly insert: string; readonly document: Document }
  | {
      readonly update: string;
      readonly filter: PlainFilter;
      readonly change: PlainFilter | Pipeline;
      readonly upsert?: boolean;
      readonly many?: boolean;
    }
  | { readonly remove: string; readonly filter: PlainFilter };

export type PlainOrder = Readonly<Record<string, 1 | -1 | undefined>>;

export interface PlainOptions {
  readonly sort?: PlainOrder;
  readonly skip?: number;
  readonly limit?: number;
  readonly project?: Readonly<Record<string, 0 | 1>>;
  readonly index?: PlainOrder;
  readonly wholeMaxBytes?: number;
}

export interface PlainQuery {
  readonly collection: string;
  readonly filter: PlainFilter;
}

/** A store that knows no collections: its adapter serves any `Store`. */
export interface PlainStore {
  commit(writes: readonly PlainWrite[], options?: CommitOptions): Promise<readonly WriteOutcome[]>;
  byId<T extends Document>(collection: string, id: string): Promise<T | null>;
  find<T extends Document>(
    collection: string,
    filter: PlainFilter,
    options?: PlainOptions,
  ): Promise<T[]>;
  findOne<T extends Document>(
    collection: string,
    filter: PlainFilter,
    options?: PlainOptions,
  ): Promise<T | null>;
  existsEach(questions: readonly PlainQuery[]): Promise<readonly boolean[]>;
  count(collection: string, filter: PlainFilter, index?: PlainOrder): Promise<number>;
}
