/**
 * Journal barrier. A read sees a write before it is journaled, for seconds on a stalled disk. So an
 * answer that was found on record waits until that record is journaled.
 */
import type { Store } from '../model/collections.ts';

/**
 * Removes nothing; the store answers when every write before it is journaled. One shard's answer is
 * enough: only a standalone server shows what is not journaled.
 */
const NO_OP = { remove: 'entries', filter: { _id: '', conversationId: '' } } as const;

/** Resolves when every write that was read is journaled. Throws when the store gives no answer. */
export async function journalBarrier(store: Pick<Store, 'commit'>): Promise<void> {
  const [outcome] = await store.commit([NO_OP]);
  if (outcome && !outcome.ok && 'error' in outcome) throw outcome.error;
}
