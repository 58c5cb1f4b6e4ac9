/**
 * Identity of this installation: the salt and the form of its ids, decided by the first process
 * that writes them.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import type { InstallationRecord } from '../../../shared/ports/ids.ts';

interface InstallationDocument extends Pick<InstallationRecord, 'salt'> {
  readonly _id: 'installation';
  /** Absent where conversations have been named without their channel's partition. */
  readonly placesConversations?: boolean;
}

export async function readInstallation(db: Db): Promise<InstallationRecord> {
  const collection = db.collection<InstallationDocument>('installation');
  const made = { salt: randomBytes(32).toString('base64'), placesConversations: true };
  try {
    await collection.updateOne({ _id: 'installation' }, { $setOnInsert: made }, { upsert: true });
  } catch (cause) {
    // Two processes that start at once may both try to insert: the loser reads the winner's.
    if (!(cause instanceof Error) || !cause.message.includes('E11000')) throw cause;
  }
  const installation = await collection.findOne({ _id: 'installation' });
  if (!installation) throw new Error('the installation document is missing');
  const { salt, placesConversations = false } = installation;
  return { salt, placesConversations };
}
