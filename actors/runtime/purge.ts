/**
 * Purge of expired documents in batches of some hundred. One removal of a hundred thousand delays
 * every concurrent change by a second, and a larger one never ends.
 */
import type { Filter, Store, Unkeyed } from '../model/collections.ts';

import { removalOf, where } from './computed.ts';

export const PURGE_BATCH = 500;

export interface Expired<Of extends Unkeyed> {
  readonly collection: Of;
  /** Also applies to each removal: a document that no longer matches stays. */
  readonly filter: Filter<Of>;
  /** Batches at most; the rest waits for the next run. */
  readonly batchesMax?: number;
}

/** The number of documents that were found. */
export async function purge<Of extends Unkeyed>(
  store: Pick<Store, 'find' | 'commit'>,
  { collection, filter, batchesMax = Number.POSITIVE_INFINITY }: Expired<Of>,
): Promise<number> {
  let purged = 0;
  for (let batches = 0; batches < batchesMax; batches++) {
    const old = await store.find(collection, filter, { limit: PURGE_BATCH, project: { _id: 1 } });
    if (old.length > 0) {
      const ids = old.map(({ _id }) => _id);
      const removal = removalOf(collection, { ...filter, ...where<Of>('_id', { $in: ids }) });
      const [removed] = await store.commit([removal]);
      if (removed && !removed.ok && 'error' in removed) throw removed.error;
    }
    purged += old.length;
    if (old.length < PURGE_BATCH) break;
  }
  return purged;
}
