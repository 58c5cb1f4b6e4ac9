/** One connection to MongoDB, waited for while it is missing. */
import { type Db, MongoClient } from 'mongodb';
import type { Log } from '../../shared/ports.ts';
import { patiently } from '../log/patiently.ts';

const DATABASE = 'recado';

export interface MongoConnection {
  readonly client: MongoClient;
  readonly db: Db;
}

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
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
    ignoreUndefined: true,
    maxPoolSize: 20,
  });
  return patiently('MongoDB', log, async () => {
    await client.connect();
    const db = databaseOf(client, mongodbUrl);
    await db.command({ ping: 1 });
    return { client, db };
  });
}
