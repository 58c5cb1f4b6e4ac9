/**
 * The record, over the plain `mongodb` driver.
 *
 * Reads by id are grouped: while one query of a collection is in progress the next group gathers.
 * Each caller gets its own document. So 2,000 first sends read 2,000 contacts in a handful of
 * queries.
 */
import type {
  Document as BsonDocument,
  Filter as BsonFilter,
  FindOptions as BsonOptions,
  Sort as BsonSort,
  Db,
} from 'mongodb';
import type { SizedDocument } from '../../../shared/ports/sized-document.ts';
import type {
  Document,
  PlainFilter,
  PlainOptions,
  PlainOrder,
  PlainQuery,
  PlainStore,
} from '../../../shared/ports/store.ts';
import type { MongoConnection } from './client.ts';
import { GroupCommit, type GroupCommitOptions } from './commit.ts';
import { withinDeadline } from './deadline.ts';
import { packedProjection, packedWrite, requireQueryable, unpacked } from './packing.ts';

/** Of one query; further ids go in the next. */
const GROUP_MAX_IDS = 500;

interface Waiting {
  readonly id: string;
  readonly resolve: (document: Document | null) => void;
  readonly reject: (error: Error) => void;
}

class CollectionReads {
  readonly #db: Db;
  readonly #collection: string;
  /** Bounded by the turns under way. */
  #waiting: Waiting[] = [];
  #reading = false;

  constructor(db: Db, collection: string) {
    this.#db = db;
    this.#collection = collection;
  }

  byId(id: string): Promise<Document | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Document | null>();
    this.#waiting.push({ id, resolve, reject });
    if (!this.#reading) {
      this.#reading = true;
      // The turns of this tick still have reads to add.
      setImmediate(() => void this.#drain());
    }
    return promise;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#read(this.#waiting.splice(0, GROUP_MAX_IDS));
    this.#reading = false;
  }

  async #read(group: readonly Waiting[]): Promise<void> {
    try {
      const [only] = group;
      const collection = this.#db.collection<BsonDocument & { _id: string }>(this.#collection);
      // A single id uses the server's express path; a list of ids has to be planned.
      const found = await withinDeadline(
        group.length === 1 && only
          ? collection.findOne({ _id: only.id }).then((one) => [one])
          : collection.find({ _id: { $in: group.map(({ id }) => id) } }).toArray(),
        `read ${this.#collection}`,
      );
      const byId = new Map(found.flatMap((each) => (each ? [[each._id, each as Document]] : [])));
      for (const { id, resolve } of group) resolve(byId.get(id) ?? null);
    } catch (cause) {
      const error = new Error(`could not read ${this.#collection}`, { cause });
      for (const { reject } of group) reject(error);
    }
  }
}

class GroupRead {
  readonly #db: Db;
  readonly #collections = new Map<string, CollectionReads>();

  constructor(db: Db) {
    this.#db = db;
  }

  byId(collection: string, id: string): Promise<Document | null> {
    let reads = this.#collections.get(collection);
    if (!reads) {
      reads = new CollectionReads(this.#db, collection);
      this.#collections.set(collection, reads);
    }
    return reads.byId(id);
  }
}

function toOptions(collection: string, options: PlainOptions = {}): BsonOptions {
  return {
    ...(options.sort ? { sort: options.sort as BsonSort } : {}),
    ...(options.skip ? { skip: options.skip } : {}),
    ...(options.limit ? { limit: options.limit } : {}),
    ...projectionOf(collection, options),
    ...(options.index ? { hint: { ...options.index } } : {}),
    promoteValues: true,
  };
}

function projectionOf(collection: string, { project, wholeMaxBytes }: PlainOptions): BsonOptions {
  if (wholeMaxBytes === undefined) {
    return project ? { projection: packedProjection(collection, project) } : {};
  }
  const bytes = { $bsonSize: '$$ROOT' };
  const isSmall = { $lte: [bytes, wholeMaxBytes] };
  return { projection: { _id: 1, bytes, whole: { $cond: [isSmall, '$$ROOT', null] } } };
}

/** The driver knows BSON alone: the port's callers name the documents of a collection. */
function typed<T>(found: unknown): T {
  return found as T;
}

/** A document as it was written, also where it is one field of the result. */
function asWritten<T extends Document>(collection: string, found: T, options?: PlainOptions): T {
  if (options?.wholeMaxBytes === undefined) return unpacked(collection, found, options?.project);
  const { whole } = typed<SizedDocument>(found);
  return { ...found, whole: whole && unpacked(collection, whole) };
}

export function createStore(
  connection: MongoConnection,
  options: GroupCommitOptions = {},
): PlainStore {
  const group = new GroupCommit(connection, options);
  const { db } = connection;
  const reads = new GroupRead(db);
  return {
    commit: (writes, options) => group.commit(writes.map(packedWrite), options),
    byId: async <T extends Document>(collection: string, id: string) => {
      const found = (await reads.byId(collection, id)) as T | null;
      return found && unpacked(collection, found);
    },
    find: async <T extends Document>(
      collection: string,
      filter: PlainFilter,
      options?: PlainOptions,
    ) => {
      const found = await withinDeadline(
        db
          .collection(collection)
          .find(
            requireQueryable(collection, filter) as BsonFilter<BsonDocument>,
            toOptions(collection, options),
          )
          .toArray(),
        `find ${collection}`,
      );
      return typed<T[]>(found).map((each) => asWritten(collection, each, options));
    },
    findOne: async <T extends Document>(
      collection: string,
      filter: PlainFilter,
      options?: PlainOptions,
    ) => {
      const found = await withinDeadline(
        db
          .collection(collection)
          .findOne(
            requireQueryable(collection, filter) as BsonFilter<BsonDocument>,
            toOptions(collection, options),
          ),
        `findOne ${collection}`,
      );
      return found && asWritten(collection, typed<T>(found), options);
    },
    existsEach: (questions) => withinDeadline(existsEachOf(db, questions), 'which'),
    count: (collection, filter, index) =>
      withinDeadline(countIn(db, { collection, filter, index }), `count ${collection}`),
  };
}

interface Counted {
  readonly collection: string;
  readonly filter: PlainFilter;
  readonly index: PlainOrder | undefined;
}

function countIn(db: Db, { collection, filter, index }: Counted): Promise<number> {
  const documents = db.collection(collection);
  if (Object.keys(filter).length === 0) return documents.estimatedDocumentCount();
  const hint = index ? { hint: { ...index } } : {};
  return documents.countDocuments(
    requireQueryable(collection, filter) as BsonFilter<BsonDocument>,
    hint,
  );
}

/** One command: each answers with its number where it finds a document. */
async function existsEachOf(db: Db, questions: readonly PlainQuery[]): Promise<readonly boolean[]> {
  const [first, ...others] = questions.map(({ collection: coll, filter }, at) => ({
    coll,
    pipeline: [
      { $match: requireQueryable(coll, filter) },
      { $limit: 1 },
      { $project: { _id: 0, at: { $literal: at } } },
    ],
  }));
  if (!first) return [];
  const unions = others.map((other) => ({ $unionWith: other }));
  const found = await db
    .collection(first.coll)
    .aggregate<{ at: number }>([...first.pipeline, ...unions])
    .toArray();
  return questions.map((_, number) => found.some(({ at }) => at === number));
}
