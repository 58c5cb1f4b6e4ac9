/** The two ways a group of writes travels, and how the server's judgement of each is read. */
import {
  type AnyClientBulkWriteModel,
  BSON,
  type Document as BsonDocument,
  MongoClientBulkWriteError,
  MongoServerError,
} from 'mongodb';
import * as v from 'valibot';
import type { PlainFilter, PlainWrite, WriteOutcome } from '../../../shared/ports/store.ts';
import type { MongoConnection } from './client.ts';

const DUPLICATE_KEY = 11000;
/**
 * Codes for a fault of the write itself. They mean a bad value, a text that is no document, a type,
 * or a path. Others mean an empty, dotted or dollared name, a changed id, or a rule. Three concern
 * its size.
 */
const LASTING = new Set([2, 9, 14, 28, 52, 56, 57, 66, 121, 10334, 17280, 17419, 17420]);
const OK: WriteOutcome = { ok: true };

interface ServerError {
  readonly code: number;
  readonly message: string;
}

/** Bound on one command's size: a server accepts 16 MiB. */
const COMMAND_MAX_BYTES = 8 * 1024 * 1024;

const InsertedSchema = v.object({
  writeErrors: v.optional(
    v.array(v.object({ index: v.number(), code: v.number(), errmsg: v.optional(v.string(), '') })),
  ),
  writeConcernError: v.optional(v.object({ errmsg: v.string() })),
});

/**
 * Inserts into one collection, by the plain command: the driver's `insertMany` measures each
 * document before it writes it, which costs as much as the writing.
 */
export async function insertGroup(
  { db, journaled }: MongoConnection,
  writes: readonly PlainWrite[],
): Promise<readonly WriteOutcome[]> {
  const { w, journal: j } = journaled.writeConcern;
  const outcomes: WriteOutcome[] = [];
  for (const some of commandsOf(writes)) {
    const documents = some.flatMap((write) => ('insert' in write ? [write.document] : []));
    const [first] = some;
    const insert = first && 'insert' in first ? first.insert : '';
    const command = { insert, documents, ordered: false, writeConcern: { w, j } };
    const answer = v.parse(InsertedSchema, await db.command(command));
    // Not journaled, or not by a majority: then the outcome is in doubt.
    if (answer.writeConcernError) throw new Error(answer.writeConcernError.errmsg);
    const errors = new Map(
      answer.writeErrors?.map(({ index, code, errmsg }) => [index, { code, message: errmsg }]),
    );
    outcomes.push(...some.map((_, index) => outcomeOf(errors.get(index))));
  }
  return outcomes;
}

/** Cut where one command would hold too much. */
function commandsOf(writes: readonly PlainWrite[]): readonly (readonly PlainWrite[])[] {
  const commands: PlainWrite[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const write of writes) {
    const size = bytesAtMost(write);
    bytes += size;
    if (bytes <= COMMAND_MAX_BYTES) {
      commands.at(-1)?.push(write);
    } else {
      commands.push([write]);
      bytes = size;
    }
  }
  return commands;
}

const NUMBER_BYTES = 16;
/** Of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;

function bytesAtMost(value: unknown): number {
  if (typeof value === 'string') return NUMBER_BYTES + value.length * UNIT_BYTES;
  if (typeof value !== 'object' || value === null) return NUMBER_BYTES;
  let bytes = NUMBER_BYTES;
  for (const [name, each] of Object.entries(value)) {
    bytes += name.length * UNIT_BYTES + bytesAtMost(each);
  }
  return bytes;
}

/** Updates and removals, across collections (MongoDB 8). */
export async function changeGroup(
  { client, db, journaled, sharded }: MongoConnection,
  writes: readonly PlainWrite[],
): Promise<readonly WriteOutcome[]> {
  try {
    await client.bulkWrite(
      writes.map((write) => toModel(write, { database: db.databaseName, sharded })),
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

interface Target {
  readonly database: string;
  readonly sharded: boolean;
}

function toModel(
  write: PlainWrite,
  { database, sharded }: Target,
): AnyClientBulkWriteModel<BsonDocument> {
  if ('insert' in write) throw new TypeError('an insert is no change');
  const filter = sharded ? write.filter : withoutShardKey(write);
  if ('remove' in write) {
    return { name: 'deleteMany', namespace: `${database}.${write.remove}`, filter };
  }
  return {
    name: write.many ? 'updateMany' : 'updateOne',
    namespace: `${database}.${write.update}`,
    filter,
    update: write.change as BsonDocument,
    ...(write.upsert ? { upsert: true } : {}),
  };
}

/** As the actors' map of collections declares them (`actors/model/collections.ts`). */
export const SHARDED_BY = { entries: 'conversationId' } as const;

const SHARD_KEYS: Readonly<Record<string, string>> = SHARDED_BY;

/**
 * A filter by `_id` and shard key as one by `_id` alone, which names the same document. The server
 * finds it on a shorter path: an update takes 65 µs instead of 175 µs.
 */
function withoutShardKey(write: Exclude<PlainWrite, { insert: string }>): PlainFilter {
  const { filter } = write;
  const key = SHARD_KEYS['update' in write ? write.update : write.remove];
  const isAlone = typeof filter._id === 'string' && Object.keys(filter).length === 2;
  return key !== undefined && isAlone && key in filter ? { _id: filter._id } : filter;
}

function outcomeOf(error: ServerError | undefined): WriteOutcome {
  if (!error) return OK;
  return error.code === DUPLICATE_KEY
    ? { ok: false, duplicate: duplicateIndex(error.message) }
    : {
        ok: false,
        error: new Error(`${error.message} (code ${error.code})`),
        lasting: LASTING.has(error.code),
      };
}

/** The largest document that a server accepts; a larger one is refused, and not tried again. */
const DOCUMENT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Why a write is not sent at all; null where it may be sent. One that the driver or the server
 * cannot read would fail its whole group, and with it other callers' writes.
 */
export function refusalOf(write: PlainWrite): WriteOutcome | null {
  const content = 'insert' in write ? write.document : 'update' in write ? write.change : {};
  if (bytesAtMost(content) <= DOCUMENT_MAX_BYTES) return null;
  const bytes = BSON.calculateObjectSize(content, { ignoreUndefined: true });
  if (bytes <= DOCUMENT_MAX_BYTES) return null;
  const error = new Error(`the write has ${bytes} bytes, a document ${DOCUMENT_MAX_BYTES} at most`);
  return { ok: false, error, lasting: true };
}

/** The index whose uniqueness a write violated; the server names it only in its message. */
function duplicateIndex(message: string): string {
  return /index: (\S+) dup key/.exec(message)?.[1] ?? '_id_';
}
