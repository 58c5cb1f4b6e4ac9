/** One attempt to reach a MongoDB. */
import { MongoClient } from 'mongodb';
import { connectionOf } from './client.ts';
import { connectFailure } from './failure.ts';

/** @throws why it cannot be reached, or cannot be read with these credentials */
export async function probeMongo(mongodbUrl: string, timeoutMs: number): Promise<void> {
  const client = new MongoClient(mongodbUrl, {
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
  });
  try {
    const { db } = await connectionOf(client, mongodbUrl);
    await db.collection('installation').findOne({}, { projection: { _id: 1 } });
  } catch (cause) {
    throw connectFailure(cause);
  } finally {
    await client.close();
  }
}
