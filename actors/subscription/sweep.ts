/**
 * Takes away deliveries that ended 30 days ago (decisions: Deliveries). What is parked or pending
 * stays until it ends. Every process sweeps the subscriptions whose partitions it owns.
 */
import { DELIVERIES_KEPT_MS } from '../../shared/limits.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { OrganizationDocument } from '../organization/documents.ts';
import type { World } from '../world.ts';
import { commit } from './bench.ts';
import type { DeliveryDocument } from './documents.ts';

export const SWEEP_EVERY_MS = 5 * 60_000;
const BATCH = 500;
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
    const old = await store.find<DeliveryDocument>(
      'deliveries',
      {
        subscriptionId: { $in: ids },
        createdAt: { $lt: before },
        'state.endedAt': { $lt: before },
      },
      { limit: BATCH, project: { _id: 1 } },
    );
    if (old.length > 0) {
      const filter = { _id: { $in: old.map(({ _id }) => _id) } };
      await commit(world, [{ remove: 'deliveries', filter }]);
    }
    swept += old.length;
    batches++;
    if (old.length < BATCH) mine.splice(0, SUBSCRIPTIONS_PER_QUERY);
  }
  return swept;
}
