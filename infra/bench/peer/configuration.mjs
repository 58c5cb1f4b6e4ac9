// What both of the peer's processes share: the broker's settings and the database.
import { MongoClient } from 'mongodb';

/** The default tools of the framework, but for its own log. */
export function brokerOptions(nodeID) {
  const { protocol, host, username } = new URL(process.env.NATS_URL);
  const credentials = username ? { token: decodeURIComponent(username) } : {};
  return {
    nodeID,
    namespace: 'peer',
    transporter: { type: 'NATS', options: { servers: `${protocol}//${host}`, ...credentials } },
    logger: { type: 'Console', options: { level: 'warn' } },
    requestTimeout: 8_000,
  };
}

/** Writes are journaled, as everybody's in this comparison. */
export async function openDatabase(mongodbUrl) {
  const options = { retryWrites: false, writeConcern: { w: 1, journal: true } };
  const client = await new MongoClient(mongodbUrl, options).connect();
  return client.db('peer');
}
