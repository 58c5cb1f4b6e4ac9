/** Breakers that were open, or had parked something, when the owner before ended: read in pages. */
import type { World } from '../world.ts';
import type { BreakerDocument } from './breaker-record.ts';

const PAGE = 500;

/** Each active breaker of the partitions once, in the order of their ids. */
export async function wakeBreakers(
  { store, alive }: Pick<World, 'store' | 'alive'>,
  partitions: readonly number[],
  wake: (breaker: Pick<BreakerDocument, '_id' | 'partition'>) => void,
): Promise<void> {
  for (let last = ''; alive(); ) {
    const page = await store.find<BreakerDocument>(
      'breakers',
      { partition: { $in: partitions }, 'state.active': true, _id: { $gt: last } },
      {
        sort: { _id: 1 },
        limit: PAGE,
        index: { partition: 1, _id: 1 },
        project: { partition: 1 },
      },
    );
    for (const breaker of page) wake(breaker);
    const end = page.at(-1);
    if (!end || page.length < PAGE) return;
    last = end._id;
  }
}
