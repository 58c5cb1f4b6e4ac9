/** What makes this installation itself: the salt of derived ids, made once by whoever is first. */
import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';

interface Installation {
  readonly _id: 'installation';
  readonly salt: string;
}

/** 32 bytes, base64. */
export async function installationSalt(db: Db): Promise<string> {
  const collection = db.collection<Installation>('installation');
  try {
    await collection.updateOne(
      { _id: 'installation' },
      { $setOnInsert: { salt: randomBytes(32).toString('base64') } },
      { upsert: true },
    );
  } catch (cause) {
    // Two processes that start at once may both try to insert: the loser reads the winner's.
    if (!(cause instanceof Error) || !cause.message.includes('E11000')) throw cause;
  }
  const installation = await collection.findOne({ _id: 'installation' });
  if (!installation) throw new Error('the installation document is missing');
  return installation.salt;
}
