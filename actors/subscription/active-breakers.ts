/** Active breakers of earlier owners: open, or with parked deliveries. They are read in pages. */

import type { Environment } from '../environment.ts';
import { pagesOf } from '../runtime/pages.ts';
import type { BreakerDocument } from './breaker-record.ts';

const PAGE = 500;

/** Wakes each active breaker of the partitions once; stops early when the lease ends. */
export async function wakeBreakers(
  { store, leaseHeld }: Pick<Environment, 'store' | 'leaseHeld'>,
  partitions: readonly number[],
  wake: (breaker: Pick<BreakerDocument, '_id' | 'partition'>) => void,
): Promise<void> {
  const pages = pagesOf<BreakerDocument>(store, {
    collection: 'breakers',
    filter: () => ({ partition: { $in: partitions }, 'state.active': true }),
    by: { path: 'partition', of: ({ partition }) => partition },
    size: PAGE,
    index: { partition: 1, _id: 1 },
    project: { partition: 1 },
  });
  for await (const page of pages) {
    if (!leaseHeld()) return;
    for (const breaker of page) wake(breaker);
  }
}
