/** The record, over the plain `mongodb` driver. */
import type {
  Document as BsonDocument,
  Filter as BsonFilter,
  FindOptions as BsonOptions,
  Db,
} from 'mongodb';
import type { SizedDocument } from '../../../shared/ports/sized-document.ts';
import type {
  Document,
  ExistenceQuery,
  Filter,
  FindOptions,
  IndexKeys,
  Store,
} from '../../../shared/ports/store.ts';
import type { MongoConnection } from './client.ts';
import { GroupCommit } from './commit.ts';
import { withinDeadline } from './deadline.ts';
import { GroupRead } from './group-read.ts';
import { packedProjection, packedWrite, requireQueryable, unpacked } from './packing.ts';

function toOptions(collection: string, options: FindOptions = {}): BsonOptions {
  return {
    ...(options.sort ? { sort: options.sort } : {}),
    ...(options.skip ? { skip: options.skip } : {}),
    ...(options.limit ? { limit: options.limit } : {}),
    ...projectionOf(collection, options),
    ...(options.index ? { hint: { ...options.index } } : {}),
    promoteValues: true,
  };
}

function projectionOf(collection: string, { project, wholeMaxBytes }: FindOptions): BsonOptions {
  if (wholeMaxBytes === undefined) {
    return project ? { projection: packedProjection(collection, project) } : {};
  }
  const bytes = { $bsonSize: '$$ROOT' };
  const isSmall = { $lte: [bytes, wholeMaxBytes] };
  return { projection: { _id: 1, bytes, whole: { $cond: [isSmall, '$$ROOT', null] } } };
}

/** A document as it was written, also where it is one field of the result. */
function asWritten<T extends Document>(collection: string, found: T, options?: FindOptions): T {
  if (options?.wholeMaxBytes === undefined) return unpacked(collection, found, options?.project);
  const { whole } = found as unknown as SizedDocument;
  return { ...found, whole: whole && unpacked(collection, whole) };
}

export function createStore(
  connection: MongoConnection,
  onGroup: (writes: number, ms: number) => void = () => undefined,
): Store {
  const group = new GroupCommit(connection, onGroup);
  const { db } = connection;
  const reads = new GroupRead(db);
  return {
    commit: (writes, options) => group.commit(writes.map(packedWrite), options),
    byId: async <T extends Document>(collection: string, id: string) => {
      const found = (await reads.byId(collection, id)) as T | null;
      return found && unpacked(collection, found);
    },
    find: async <T extends Document>(collection: string, filter: Filter, options?: FindOptions) => {
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
      return (found as unknown as T[]).map((each) => asWritten(collection, each, options));
    },
    findOne: async <T extends Document>(
      collection: string,
      filter: Filter,
      options?: FindOptions,
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
      return found && asWritten(collection, found as unknown as T, options);
    },
    existsEach: (questions) => withinDeadline(existsEachOf(db, questions), 'which'),
    count: (collection, filter, index) =>
      withinDeadline(countIn(db, { collection, filter, index }), `count ${collection}`),
  };
}

interface Counted {
  readonly collection: string;
  readonly filter: Filter;
  readonly index: IndexKeys | undefined;
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
async function existsEachOf(
  db: Db,
  questions: readonly ExistenceQuery[],
): Promise<readonly boolean[]> {
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
