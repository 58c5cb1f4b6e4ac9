/**
 * Takes away deliveries that ended 30 days ago (decisions: Deliveries). What is parked or pending
 * stays until it ends. Every process sweeps the subscriptions whose partitions it owns.
 */
import { DELIVERIES_KEPT_MS } from '../../shared/limits.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { OrganizationDocument } from '../organization/documents.ts';
import { SWEPT_AT_ONCE, sweepAway } from '../runtime/sweep.ts';
import type { World } from '../world.ts';

export const SWEEP_EVERY_MS = 5 * 60_000;
/** The rest waits for the next sweep: nothing else should feel it. */
const BATCHES_MAX = 40;
const SUBSCRIPTIONS_PER_QUERY = 200;

/** How many were taken away. */
export async function sweepDeliveries(
  world: World,
  owns: (partition: number) => boolean,
): Promise<number> {
  const { store, clock } = world;
  const organizations = await store.find<OrganizationDocument>(
    'organizations',
    {},
    { project: { 'subscriptions.id': 1 } },
  );
  const mine = organizations
    .flatMap(({ subscriptions }) => subscriptions.map(({ id }) => id))
    .filter((id) => owns(partitionOf('subscription', id)));
  const before = clock.now() - DELIVERIES_KEPT_MS;
  let swept = 0;
  let batches = 0;
  while (mine.length > 0 && batches < BATCHES_MAX) {
    const ids = mine.slice(0, SUBSCRIPTIONS_PER_QUERY);
    const found = await sweepAway(store, {
      collection: 'deliveries',
      filter: {
        subscriptionId: { $in: ids },
        createdAt: { $lt: before },
        'state.endedAt': { $lt: before },
      },
      batchesMax: 1,
    });
    swept += found;
    batches++;
    if (found < SWEPT_AT_ONCE) mine.splice(0, SUBSCRIPTIONS_PER_QUERY);
  }
  return swept;
}
