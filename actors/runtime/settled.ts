/**
 * A read sees what is written before it is journaled, and a disk that stands still may keep it so
 * for seconds: what is answered because it was found on record has to wait for the journal too.
 */
import type { Store } from '../../shared/ports.ts';

/** Removes nothing; the store answers when everything up to it is journaled. */
const NOTHING = { remove: 'entries', filter: { _id: '' } } as const;

/** Resolves when whatever has been read is journaled. Throws when the store cannot say. */
export async function settled(store: Pick<Store, 'commit'>): Promise<void> {
  const [outcome] = await store.commit([NOTHING]);
  if (outcome && !outcome.ok && 'error' in outcome) throw outcome.error;
}
