/**
 * Retention: removes deliveries that ended 30 days ago (D43). Parked and pending deliveries stay
 * until they end. Parked deliveries of a removed subscription stay 30 days. Every process serves
 * the subscriptions of its own partitions.
 */
import { DELIVERIES_KEPT_MS } from '../../shared/limits.ts';
import type { Filter } from '../../shared/ports/store.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { organizationPages } from '../organization/pages.ts';
import { PURGE_BATCH, purge } from '../runtime/purge.ts';

export const RETENTION_EVERY_MS = 5 * 60_000;
/** The rest waits for the next run, so that other work is not delayed. */
const BATCHES_MAX = 40;
const SUBSCRIPTIONS_PER_QUERY = 200;

/** The number of removed deliveries. */
export async function removeExpiredDeliveries(
  environment: Environment,
  owns: (partition: number) => boolean,
): Promise<number> {
  const run = new RetentionRun(environment);
  const project = { removed: 1, 'subscriptions.id': 1, 'subscriptions.removed': 1 } as const;
  for await (const page of organizationPages(environment.store, project)) {
    const owned = page.flatMap(({ removed, subscriptions }) =>
      subscriptions
        .filter(({ id }) => owns(partitionOf('subscription', id)))
        .map((entry) => ({ id: entry.id, removed: removed === true || entry.removed === true })),
    );
    const ids = owned.map(({ id }) => id);
    await run.removeExpired(ids, (before) => ({ 'state.endedAt': { $lt: before } }));
    const removedIds = owned.filter(({ removed }) => removed).map(({ id }) => id);
    await run.removeExpired(removedIds, () => ({ 'state.status': 'parked' }));
    if (run.done) break;
  }
  return run.removedCount;
}

class RetentionRun {
  readonly #store: Environment['store'];
  readonly #before: number;
  #batches = 0;
  removedCount = 0;

  constructor({ store, clock }: Pick<Environment, 'store' | 'clock'>) {
    this.#store = store;
    this.#before = clock.now() - DELIVERIES_KEPT_MS;
  }

  get done(): boolean {
    return this.#batches >= BATCHES_MAX;
  }

  async removeExpired(
    subscriptionIds: readonly string[],
    old: (before: number) => Filter,
  ): Promise<void> {
    const left = [...subscriptionIds];
    while (left.length > 0 && !this.done) {
      const found = await purge(this.#store, {
        collection: 'deliveries',
        filter: {
          subscriptionId: { $in: left.slice(0, SUBSCRIPTIONS_PER_QUERY) },
          createdAt: { $lt: this.#before },
          ...old(this.#before),
        },
        batchesMax: 1,
      });
      this.removedCount += found;
      // An empty batch is cheap, and later subscriptions must get their turn.
      if (found > 0) this.#batches++;
      if (found < PURGE_BATCH) left.splice(0, SUBSCRIPTIONS_PER_QUERY);
    }
  }
}
