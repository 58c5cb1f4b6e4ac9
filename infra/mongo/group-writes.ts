/** The two ways a group of writes travels, and how the server's judgement of each is read. */
import {
  type AnyClientBulkWriteModel,
  type Document as BsonDocument,
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoServerError,
} from 'mongodb';
import type { Write, WriteOutcome } from '../../shared/ports.ts';
import type { MongoConnection } from './client.ts';

const DUPLICATE_KEY = 11000;
const OK: WriteOutcome = { ok: true };

interface ServerError {
  readonly code: number;
  readonly message: string;
}

/** Inserts into one collection. */
export async function insertGroup(
  { db, journaled }: MongoConnection,
  writes: readonly Write[],
): Promise<readonly WriteOutcome[]> {
  const inserts = writes.flatMap((write) => ('insert' in write ? [write] : []));
  const collection = inserts[0]?.insert;
  if (collection === undefined) return [];
  try {
    const documents = inserts.map((write) => write.document as BsonDocument);
    await db.collection(collection).insertMany(documents, { ordered: false, ...journaled });
    return writes.map(() => OK);
  } catch (cause) {
    if (!(cause instanceof MongoBulkWriteError) || cause.result.getWriteConcernError()) throw cause;
    const errors = [cause.writeErrors].flat();
    if (errors.length === 0) throw cause;
    const byIndex = new Map(
      errors.map((error) => [error.index, { code: error.code, message: error.errmsg ?? '' }]),
    );
    return writes.map((_, index) => outcomeOf(byIndex.get(index)));
  }
}

/** Updates and removals, across collections (MongoDB 8). */
export async function changeGroup(
  { client, db, journaled }: MongoConnection,
  writes: readonly Write[],
): Promise<readonly WriteOutcome[]> {
  try {
    await client.bulkWrite(
      writes.map((write) => toModel(write, db.databaseName)),
      { ordered: false, ...journaled },
    );
    return writes.map(() => OK);
  } catch (cause) {
    if (!(cause instanceof MongoClientBulkWriteError)) throw cause;
    const judged = cause.writeErrors.size > 0 && cause.writeConcernErrors.length === 0;
    if (!judged || (cause.cause && !(cause.cause instanceof MongoServerError))) throw cause;
    const errors: ReadonlyMap<number, ServerError> = cause.writeErrors;
    return writes.map((_, index) => outcomeOf(errors.get(index)));
  }
}

function toModel(write: Write, database: string): AnyClientBulkWriteModel<BsonDocument> {
  if ('insert' in write) throw new TypeError('an insert is no change');
  if ('remove' in write) {
    return { name: 'deleteMany', namespace: `${database}.${write.remove}`, filter: write.filter };
  }
  return {
    name: write.many ? 'updateMany' : 'updateOne',
    namespace: `${database}.${write.update}`,
    filter: write.filter,
    update: write.change as BsonDocument,
    ...(write.upsert ? { upsert: true } : {}),
  };
}

function outcomeOf(error: ServerError | undefined): WriteOutcome {
  if (!error) return OK;
  return error.code === DUPLICATE_KEY
    ? { ok: false, duplicate: duplicateIndex(error.message) }
    : { ok: false, error: new Error(error.message) };
}

/** The index whose uniqueness a write violated; the server tells it only in its message. */
function duplicateIndex(message: string): string {
  return /index: (\S+) dup key/.exec(message)?.[1] ?? '_id_';
}
