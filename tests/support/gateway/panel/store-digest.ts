/**
 * A digest of everything that people can change, to show that a refused call changes no byte.
 * Snapshots of conversations are left out, as their entries are here, and so are marks of what
 * the service has published and counted meanwhile.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import { databaseOf } from '../../../../infra/adapters/mongo/client.ts';
import { waitFor } from '../../wait-for.ts';

const COLLECTIONS = [
  ...['organizations', 'contacts', 'entries', 'deals', 'tasks', 'deliveries'],
  ...['sessions', 'persons', 'audit', 'tags', 'idempotency', 'quickReplies'],
];
const MARKS = { outbox: 0, pending: 0, counted: 0, recount: 0 } as const;
/** Attempts of deliveries and reminders are the service's own, and come at any time. */
const ATTEMPTS: Readonly<Record<string, Readonly<Record<string, 0>>>> = {
  deliveries: { state: 0 },
  tasks: {
    ...{ version: 0, remindAt: 0, partition: 0 },
    ...{ 'state.version': 0, 'state.reminder': 0, 'state.reminded': 0 },
  },
};
/** Equal reads in a row after which earlier changes have ended. */
const SETTLED_READS = 3;

export interface StoreDigest {
  /** Of every document, byte by byte, a line for each collection. */
  read(): Promise<string>;
  insert(collection: string, document: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

async function digestOf(db: Db): Promise<string> {
  const lines: string[] = [];
  for (const name of COLLECTIONS) {
    const projection = { ...MARKS, ...ATTEMPTS[name] };
    const documents = db.collection(name).find({}, { projection, sort: { _id: 1 } });
    const found = await documents.toArray();
    const digest = createHash('sha256').update(JSON.stringify(found)).digest('hex');
    lines.push(`${name} ${found.length} ${digest}`);
  }
  assert.ok(
    lines.some((line) => /^organizations [1-9]/.test(line)),
    'it is the database of the service',
  );
  return lines.join('\n');
}

export async function openStoreDigest(mongodbUrl: string): Promise<StoreDigest> {
  const client = await new MongoClient(mongodbUrl).connect();
  const db = databaseOf(client, mongodbUrl);
  return {
    async read() {
      let last = '';
      let equal = 0;
      return waitFor(
        async () => {
          const now = await digestOf(db);
          equal = now === last ? equal + 1 : 1;
          last = now;
          return equal >= SETTLED_READS ? now : null;
        },
        { what: 'a store at rest' },
      );
    },
    async insert(collection, document) {
      await db.collection(collection).insertOne({ ...document });
    },
    close: () => client.close(),
  };
}
