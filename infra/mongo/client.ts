/** One connection to MongoDB, waited for while it is missing. */
import { type Db, MongoClient, type WriteConcernOptions } from 'mongodb';
import type { Log } from '../../shared/ports.ts';
import { patiently } from '../log/patiently.ts';

const DATABASE = 'recado';
/** What a router of a sharded cluster says of itself. */
const SHARDED = 'isdbgrid';

export interface MongoConnection {
  readonly client: MongoClient;
  /** Its writes are journaled, unless they say otherwise. */
  readonly db: Db;
  readonly journaled: Journaled;
}

/** What a write waits for that must survive whatever happens. */
export type Journaled = Required<WriteConcernOptions>;

/** The URL's own database, else ours. */
export function databaseOf(client: MongoClient, mongodbUrl: string): Db {
  const named = new URL(mongodbUrl).pathname.slice(1);
  return client.db(named === '' ? DATABASE : named);
}

/** Connects, with a log line while the server is missing. The URL's own database wins. */
export async function connectMongo(mongodbUrl: string, log: Log): Promise<MongoConnection> {
  const client = new MongoClient(mongodbUrl, {
    serverSelectionTimeoutMS: 1_500,
    connectTimeoutMS: 1_500,
    heartbeatFrequencyMS: 1_000,
    minHeartbeatFrequencyMS: 50,
    // A repeated write must be ours to decide: the engine may not know sessions at all.
    retryWrites: false,
    readPreference: 'primary',
    ignoreUndefined: true,
    maxPoolSize: 20,
  });
  return patiently('MongoDB', log, async () => {
    await client.connect();
    return await connectionOf(client, mongodbUrl);
  });
}

/** Of a client that is connected. The URL's own database wins. */
export async function connectionOf(
  client: MongoClient,
  mongodbUrl: string,
): Promise<MongoConnection> {
  const db = databaseOf(client, mongodbUrl);
  const journaled = await journaledBy(db);
  return { client, db: client.db(db.databaseName, journaled), journaled };
}

/**
 * A majority of a replica set or of each shard. A server that stands alone takes `majority` for
 * granted, the journal with it: the embedded engine then answers before its journal is written
 * and loses up to 100 ms of answered writes when it is killed. With `w: 1` it waits.
 */
async function journaledBy(db: Db): Promise<Journaled> {
  const hello = await db.command({ hello: 1 });
  const alone = hello.setName === undefined && hello.msg !== SHARDED;
  return { writeConcern: { w: alone ? 1 : 'majority', journal: true } };
}
