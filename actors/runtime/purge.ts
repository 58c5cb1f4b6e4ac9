/**
 * Takes away what counts for nothing any more, some hundred documents at a time: one removal of a
 * hundred thousand held up every change beside it for a second, and one of more never ended.
 */
import type { Filter, Store } from '../../shared/ports.ts';

export const PURGE_BATCH = 500;

export interface Expired {
  readonly collection: string;
  /** Asked again with each removal: what has been taken up meanwhile stays. */
  readonly filter: Filter;
  /** At most so many batches; the rest waits for the next sweep. */
  readonly batchesMax?: number;
}

/** How many were found. */
export async function purge(
  store: Pick<Store, 'find' | 'commit'>,
  { collection, filter, batchesMax = Number.POSITIVE_INFINITY }: Expired,
): Promise<number> {
  let purged = 0;
  for (let batches = 0; batches < batchesMax; batches++) {
    const old = await store.find(collection, filter, { limit: PURGE_BATCH, project: { _id: 1 } });
    if (old.length > 0) {
      const ids = old.map(({ _id }) => _id);
      const removal = { remove: collection, filter: { ...filter, _id: { $in: ids } } };
      const [removed] = await store.commit([removal]);
      if (removed && !removed.ok && 'error' in removed) throw removed.error;
    }
    purged += old.length;
    if (old.length < PURGE_BATCH) break;
  }
  return purged;
}
