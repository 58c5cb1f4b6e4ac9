// Shared configuration of the peer's processes: the broker's settings and the database.
import { MongoClient } from 'mongodb';
import { natsAccess } from '../../adapters/nats/access.ts';
import { configOrExit } from '../../config/process-config.ts';

/** The default tools of the framework, but for its own log. */
export function brokerOptions(nodeID) {
  return {
    nodeID,
    namespace: 'peer',
    transporter: { type: 'NATS', options: natsAccess(configOrExit().natsUrl) },
    logger: { type: 'Console', options: { level: 'warn' } },
    requestTimeout: 8_000,
  };
}

/** Writes are journaled, as on all sides of this comparison. */
export async function openDatabase(mongodbUrl) {
  const options = { retryWrites: false, writeConcern: { w: 1, journal: true } };
  const client = await new MongoClient(mongodbUrl, options).connect();
  return client.db('peer');
}
