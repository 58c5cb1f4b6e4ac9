/** A digest of everything that people can change, to show that a refused call changes no byte. */
import { createHash } from 'node:crypto';
import { MongoClient } from 'mongodb';

const COLLECTIONS = [
  ...['organizations', 'contacts', 'conversations', 'entries', 'deals', 'tasks', 'deliveries'],
  ...['sessions', 'persons', 'audit', 'tags', 'idempotency', 'quickReplies'],
];

export interface StoreDigest {
  /** Of every document, byte by byte. */
  read(): Promise<string>;
  insert(collection: string, document: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

export async function openStoreDigest(mongodbUrl: string): Promise<StoreDigest> {
  const client = await new MongoClient(mongodbUrl).connect();
  const db = client.db();
  return {
    async read() {
      const digest = createHash('sha256');
      for (const name of COLLECTIONS) {
        const documents = await db
          .collection(name)
          .find({}, { sort: { _id: 1 } })
          .toArray();
        digest.update(JSON.stringify([name, documents]));
      }
      return digest.digest('hex');
    },
    async insert(collection, document) {
      await db.collection(collection).insertOne({ ...document });
    },
    close: () => client.close(),
  };
}
