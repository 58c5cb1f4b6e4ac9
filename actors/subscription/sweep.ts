/**
 * Takes away deliveries that ended 30 days ago (D43). What is parked or pending
 * stays until it ends; of a subscription that was removed, 30 days. Every process sweeps the
 * subscriptions whose partitions it owns.
 */
import { DELIVERIES_KEPT_MS } from '../../shared/limits.ts';
import type { Filter } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import { organizationPages } from '../organization/pages.ts';
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
  const sweep = new Sweep(world);
  const project = { removed: 1, 'subscriptions.id': 1, 'subscriptions.removed': 1 } as const;
  for await (const page of organizationPages(world.store, project)) {
    const mine = page.flatMap(({ removed, subscriptions }) =>
      subscriptions
        .filter(({ id }) => owns(partitionOf('subscription', id)))
        .map((entry) => ({ id: entry.id, removed: removed === true || entry.removed === true })),
    );
    const ids = mine.map(({ id }) => id);
    await sweep.take(ids, (before) => ({ 'state.endedAt': { $lt: before } }));
    const gone = mine.filter(({ removed }) => removed).map(({ id }) => id);
    await sweep.take(gone, () => ({ 'state.status': 'parked' }));
    if (sweep.done) break;
  }
  return sweep.swept;
}

class Sweep {
  readonly #store: World['store'];
  readonly #before: number;
  #batches = 0;
  swept = 0;

  constructor({ store, clock }: Pick<World, 'store' | 'clock'>) {
    this.#store = store;
    this.#before = clock.now() - DELIVERIES_KEPT_MS;
  }

  get done(): boolean {
    return this.#batches >= BATCHES_MAX;
  }

  async take(subscriptionIds: readonly string[], old: (before: number) => Filter): Promise<void> {
    const left = [...subscriptionIds];
    while (left.length > 0 && !this.done) {
      const found = await sweepAway(this.#store, {
        collection: 'deliveries',
        filter: {
          subscriptionId: { $in: left.slice(0, SUBSCRIPTIONS_PER_QUERY) },
          createdAt: { $lt: this.#before },
          ...old(this.#before),
        },
        batchesMax: 1,
      });
      this.swept += found;
      // A look that finds nothing costs little, and what is behind it must come to its turn.
      if (found > 0) this.#batches++;
      if (found < SWEPT_AT_ONCE) left.splice(0, SUBSCRIPTIONS_PER_QUERY);
    }
  }
}
