/** One attempt to reach a MongoDB. */
import { MongoClient } from 'mongodb';
import { connectionOf } from './client.ts';
import { reachFailure } from './failure.ts';

/** @throws why it cannot be reached, or cannot be read with these credentials */
export async function reachMongo(mongodbUrl: string, patienceMs: number): Promise<void> {
  const client = new MongoClient(mongodbUrl, {
    serverSelectionTimeoutMS: patienceMs,
    connectTimeoutMS: patienceMs,
  });
  try {
    const { db } = await connectionOf(client, mongodbUrl);
    await db.collection('installation').findOne({}, { projection: { _id: 1 } });
  } catch (cause) {
    throw reachFailure(cause);
  } finally {
    await client.close();
  }
}
