/**
 * Retention: removes deliveries that ended 30 days ago (D43). Parked and pending deliveries stay
 * until they end. Parked deliveries of a removed subscription stay 30 days. Every process serves
 * the subscriptions of its own partitions.
 */
import { DELIVERIES_RETENTION_MS } from '../../../shared/limits.ts';
import { EVERY_PARTITION, partitionOf } from '../../../shared/wire/subjects.ts';
import type { Environment } from '../../environment.ts';
import type { Filter } from '../../model/collections.ts';
import { organizationPages } from '../../organization/read-organization.ts';
import { runPeriodically } from '../../runtime/periodic.ts';
import { PURGE_BATCH, purge } from '../../runtime/purge.ts';
import { shelvesOf } from '../../runtime/shelves.ts';
import type { AttemptLog } from './attempt-log.ts';
import type { DeliveryTenures } from './tenures.ts';

const RETENTION_EVERY_MS = 5 * 60_000;
/** The rest waits for the next run, so that other work is not delayed. */
const BATCHES_MAX = 40;
const SUBSCRIPTIONS_PER_QUERY = 200;
/** Longer than any attempt, and than any tolerated outage of the store. */
const ATTEMPT_LOG_RETENTION_MS = 60 * 60_000;

interface Retained {
  readonly owned: Pick<DeliveryTenures, 'get' | 'openNumbers'>;
  readonly attemptLog: Pick<AttemptLog, 'replay'>;
  readonly sweepStreams: () => Promise<void>;
}

/** Retention in one process, from its first partition on. */
export class DeliveryRetention {
  readonly #environment: Environment;
  readonly #retained: Retained;
  #started = false;

  constructor(environment: Environment, retained: Retained) {
    this.#environment = environment;
    this.#retained = retained;
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    runPeriodically(this.#environment, {
      // Processes that started together must not run it together.
      firstMs: RETENTION_EVERY_MS * this.#environment.random.unit(),
      everyMs: () => RETENTION_EVERY_MS,
      failed: 'delivery retention failed',
      run: () => this.#run(),
    });
  }

  async #run(): Promise<void> {
    const { owned, attemptLog, sweepStreams } = this.#retained;
    if (!this.#environment.leaseHeld()) return;
    const before = this.#environment.clock.now() - ATTEMPT_LOG_RETENTION_MS;
    await attemptLog.replay(owned.openNumbers(), { before });
    await removeExpiredDeliveries(this.#environment, (number) => !!owned.get(number));
    await sweepStreams();
  }
}

/** The number of removed deliveries. */
export async function removeExpiredDeliveries(
  environment: Environment,
  owns: (partition: number) => boolean,
): Promise<number> {
  const { store, clock } = environment;
  const before = clock.now() - DELIVERIES_RETENTION_MS;
  let batches = 0;
  let removedCount = 0;
  const removeOld = async (ids: readonly string[], old: Filter<'deliveries'>): Promise<void> => {
    const left = [...ids];
    while (left.length > 0 && batches < BATCHES_MAX) {
      const some = { $in: left.slice(0, SUBSCRIPTIONS_PER_QUERY) };
      const filter = { subscriptionId: some, createdAt: { $lt: before }, ...old };
      const found = await purge(store, { collection: 'deliveries', filter, batchesMax: 1 });
      removedCount += found;
      // An empty batch is cheap, and later subscriptions must get their turn.
      if (found > 0) batches++;
      if (found < PURGE_BATCH) left.splice(0, SUBSCRIPTIONS_PER_QUERY);
    }
  };
  const project = { removed: 1, 'subscriptions.id': 1, 'subscriptions.removed': 1 } as const;
  for await (const page of organizationPages(store, project)) {
    const owned = page.flatMap(({ removed, subscriptions }) =>
      subscriptions
        .filter(({ id }) => owns(partitionOf('subscription', id)))
        .map((entry) => ({ id: entry.id, removed: removed === true || entry.removed === true })),
    );
    const ids = owned.map(({ id }) => id);
    await removeOld(ids, { 'state.endedAt': { $lt: before } });
    const removedIds = owned.filter(({ removed }) => removed).map(({ id }) => id);
    await removeOld(removedIds, { 'state.status': 'parked' });
    if (batches >= BATCHES_MAX) break;
  }
  return removedCount + (await removeOfStreams(environment, owns, before));
}

/** Streams come and go: their deliveries are found by the end of each one. */
function removeOfStreams(
  { store }: Pick<Environment, 'store'>,
  owns: (partition: number) => boolean,
  before: number,
): Promise<number> {
  // Of a shelf, whoever has a part of it removes what is old.
  const partition = { $in: shelvesOf(EVERY_PARTITION.filter(owns)) };
  const filter = { order: { $exists: true }, 'state.endedAt': { $lt: before }, partition };
  return purge(store, { collection: 'deliveries', filter, batchesMax: BATCHES_MAX });
}
