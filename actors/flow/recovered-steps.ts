/**
 * Tries of a step by successive owners of its conversation. A step that ends its process, and is
 * executed again by each next owner, would take the installation down for ever.
 *
 * 1. Only an owner that finds a step due from before its own time counts it, in a journaled write
 *    before it is executed: a step that is executed once costs no write.
 * 2. An epoch counts a step once, however often its timer is posted.
 */
import type { Store } from '../../shared/ports/store.ts';
import type { EntryDocument } from '../conversation/api.ts';

type Place = Pick<EntryDocument, 'conversationId' | 'seq'>;

/** Number of owners, this one included, that found the step unfinished. */
export async function countTry(store: Store, place: Place, epoch: number): Promise<number> {
  const entry = await store.findOne('entries', place, { project: { timer: 1 } });
  if (!entry?.timer) return 0;
  const { epoch: last, times } = entry.timer.recovered ?? { epoch: 0, times: 0 };
  if (last === epoch) return times;
  const recovered = { epoch, times: times + 1 };
  const filter = { ...place, timer: { $exists: true } };
  const change = { $set: { 'timer.recovered': recovered } };
  const [written] = await store.commit([{ update: 'entries', filter, change }]);
  if (written && 'error' in written) throw written.error;
  return recovered.times;
}
