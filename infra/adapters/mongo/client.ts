/** One connection to MongoDB, waited for while it is missing. */
import {
  type Document as BsonDocument,
  type Db,
  type DbOptions,
  MongoClient,
  type MongoClientOptions,
  ReadConcern,
  type WriteConcernOptions,
} from 'mongodb';
import type { Log } from '../../../shared/ports/log.ts';
import { connectWithRetry } from '../log/connect-with-retry.ts';
import { mongoHosts, partsOf } from './address.ts';
import { connectFailure } from './failure.ts';

const DATABASE = 'recado';
/** The `msg` of a sharded cluster's router in its answer to `hello`. */
const SHARDED = 'isdbgrid';

export interface MongoConnection {
  readonly client: MongoClient;
  /** By default its writes are journaled, and its reads show only durable writes. */
  readonly db: Db;
  readonly journaled: Journaled;
  /** No other server can replace it, with another clock. */
  readonly standalone: boolean;
  /** Behind a router: a write goes to one shard only by its shard key. */
  readonly sharded: boolean;
}

/** The write concern of a write that must survive any failure. */
export type Journaled = Required<WriteConcernOptions>;

/** The URL's own database, else ours. */
export function databaseOf(client: MongoClient, mongodbUrl: string): Db {
  return client.db(partsOf(mongodbUrl).database ?? DATABASE);
}

/**
 * Monitoring of the server beside its requests. A server behind a network may disappear silently,
 * and another be elected. A server behind a local socket closes its connections when it ends. So
 * the next call knows, and selects a server every 50 ms.
 */
function watchOf(mongodbUrl: string): MongoClientOptions {
  return partsOf(mongodbUrl).hosts.endsWith('.sock')
    ? { heartbeatFrequencyMS: 60_000, serverMonitoringMode: 'poll' }
    : { heartbeatFrequencyMS: 1_000 };
}

/**
 * A pool without reserve connections needs no maintenance. The driver does it ten times a second, a
 * quarter of a percent of a core. Its option for the interval is not among the documented client
 * options.
 */
const POOL_MAINTENANCE = { minPoolSizeCheckFrequencyMS: 10_000 };

/** The part of the driver's internal state that its types leave out (version 7). */
interface Monitored {
  readonly topology?: { readonly s?: { readonly servers?: ReadonlyMap<string, MonitoredServer> } };
}
interface MonitoredServer {
  readonly monitor?: { connection?: { destroy(): void } | null } | null;
}

/**
 * The monitor of a server that was lost connects anew. A socket that the server has ended takes no
 * more bytes, but its `close` event comes one turn of the event loop later. A check that the driver
 * writes to it in between waits for `drain` for ever, and no call finds a server any more. Of a
 * server that reports a `topologyVersion` the driver itself drops it after a network error, and
 * keeps it after a change of primary. The embedded engine reports none.
 */
function dropMonitorConnection(client: MongoClient, address: string): void {
  const { topology } = client as Monitored;
  const monitor = topology?.s?.servers?.get(address)?.monitor;
  if (!monitor) return;
  monitor.connection?.destroy();
  monitor.connection = null;
}

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
  client.on('serverDescriptionChanged', ({ address, previousDescription, newDescription }) => {
    const isLost = newDescription.type === 'Unknown';
    if (isLost && !previousDescription.topologyVersion) dropMonitorConnection(client, address);
  });
  const server = { name: 'MongoDB', where: mongoHosts(mongodbUrl) };
  return connectWithRetry(server, { log }, async () => {
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
  const hello = await db.command({ hello: 1 });
  const sharded = hello.msg === SHARDED;
  const standalone = isStandalone(hello);
  const journaled: Journaled = { writeConcern: { w: standalone ? 1 : 'majority', journal: true } };
  const options: DbOptions = { ...journaled, ...readsOf(standalone) };
  return { client, db: client.db(db.databaseName, options), journaled, standalone, sharded };
}

/**
 * A majority of a replica set or of each shard keeps a write. A standalone server regards
 * `majority` as met, the journal included. The embedded engine then answers before its journal is
 * written. It loses up to 100 ms of answered writes when it is killed. With `w: 1` it waits for the
 * journal.
 */
function isStandalone(hello: BsonDocument): boolean {
  return hello.setName === undefined && hello.msg !== SHARDED;
}

/**
 * Reads need the majority's data. A primary shows writes that no majority has yet, and a failover
 * reverts them. An entry decided on a reverted write would leave a permanent gap in its log. The
 * primary has the majority's data first, including the reader's own writes.
 */
function readsOf(standalone: boolean): DbOptions {
  const readConcern = new ReadConcern('majority');
  return { readPreference: 'primary', ...(standalone ? {} : { readConcern }) };
}
