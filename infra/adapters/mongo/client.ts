/** One connection to MongoDB, waited for while it is missing. */
import {
  type Db,
  type DbOptions,
  MongoClient,
  type MongoClientOptions,
  ReadConcern,
  type WriteConcernOptions,
} from 'mongodb';
import type { Log } from '../../../shared/ports.ts';
import { connectWithRetry } from '../log/connect-with-retry.ts';
import { mongoHosts, partsOf } from './address.ts';
import { connectFailure } from './failure.ts';

const DATABASE = 'recado';
/** What a router of a sharded cluster says of itself. */
const SHARDED = 'isdbgrid';

export interface MongoConnection {
  readonly client: MongoClient;
  /** Its writes are journaled and its reads show what stays written, unless they say otherwise. */
  readonly db: Db;
  readonly journaled: Journaled;
  /** No other server can take its place, and tell the time by another clock. */
  readonly standalone: boolean;
}

/** What a write waits for that must survive whatever happens. */
export type Journaled = Required<WriteConcernOptions>;

/** The URL's own database, else ours. */
export function databaseOf(client: MongoClient, mongodbUrl: string): Db {
  return client.db(partsOf(mongodbUrl).database ?? DATABASE);
}

/**
 * How the server is watched beside what is asked of it. Behind a network it may vanish without a
 * word, and another be elected. One behind a local socket ends its connections when it ends, so
 * the next call knows, and looks for it every 50 ms.
 */
function watchOf(mongodbUrl: string): MongoClientOptions {
  return partsOf(mongodbUrl).hosts.endsWith('.sock')
    ? { heartbeatFrequencyMS: 60_000, serverMonitoringMode: 'poll' }
    : { heartbeatFrequencyMS: 1_000 };
}

/**
 * A pool that keeps no connections in reserve has nothing to look after; the driver does so ten
 * times a second, a quarter of a percent of a core. Its own option for that is not among those
 * that a client takes.
 */
const POOL_MAINTENANCE = { minPoolSizeCheckFrequencyMS: 10_000 };

/** Connects, with log lines while the server is missing. The URL's own database wins. */
export async function connectMongo(mongodbUrl: string, log: Log): Promise<MongoConnection> {
  const client = new MongoClient(mongodbUrl, {
    serverSelectionTimeoutMS: 1_500,
    connectTimeoutMS: 1_500,
    minHeartbeatFrequencyMS: 50,
    ...watchOf(mongodbUrl),
    // A repeated write must be ours to decide: the engine may not know sessions at all.
    retryWrites: false,
    readPreference: 'primary',
    ignoreUndefined: true,
    maxPoolSize: 20,
  });
  Object.assign(client.options, POOL_MAINTENANCE);
  const server = { name: 'MongoDB', where: mongoHosts(mongodbUrl) };
  return connectWithRetry(server, log, async () => {
    try {
      await client.connect();
      return await connectionOf(client, mongodbUrl);
    } catch (cause) {
      throw connectFailure(cause);
    }
  });
}

/** Of a client that is connected. The URL's own database wins. */
export async function connectionOf(
  client: MongoClient,
  mongodbUrl: string,
): Promise<MongoConnection> {
  const db = databaseOf(client, mongodbUrl);
  const standalone = await isStandalone(db);
  const journaled: Journaled = { writeConcern: { w: standalone ? 1 : 'majority', journal: true } };
  const options: DbOptions = { ...journaled, ...readsOf(standalone) };
  return { client, db: client.db(db.databaseName, options), journaled, standalone };
}

/**
 * A majority of a replica set or of each shard keeps a write. A server that stands alone takes
 * `majority` for granted, the journal with it: the embedded engine then answers before its journal
 * is written and loses up to 100 ms of answered writes when it is killed. With `w: 1` it waits.
 */
async function isStandalone(db: Db): Promise<boolean> {
  const hello = await db.command({ hello: 1 });
  return hello.setName === undefined && hello.msg !== SHARDED;
}

/**
 * A primary shows writes that no majority has yet, and a failover takes those back: an entry that
 * was decided on one of them would leave a gap in its log for ever. So every read asks for what a
 * majority has. The primary has it first, and the reader's own writes with it.
 */
function readsOf(standalone: boolean): DbOptions {
  const readConcern = new ReadConcern('majority');
  return { readPreference: 'primary', ...(standalone ? {} : { readConcern }) };
}
