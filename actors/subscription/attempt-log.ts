/**
 * The log of first attempts: what is claimed at one moment, of whichever subscriptions, is one
 * small insert instead of an update of each delivery, which costs the engine four times as much.
 *
 * 1. An attempt is made only when its claim is journaled here. What came of it is then written to
 *    the delivery itself, and covers the claim: nothing is lost with the log's page.
 * 2. Whoever takes a partition first writes what the log says into the deliveries, all of a page,
 *    and attempts nothing of the partition before. Writing it again, or late, changes nothing: the
 *    states only rise (documents).
 * 3. A page is taken away when everything on it has been covered; one that nobody took away is
 *    written out by a sweep.
 */
import type { Document, Write } from '../../shared/ports.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/mailbox.ts';
import { commit } from './commit.ts';
import { type DeliveryDocument, deliveryWrite } from './documents.ts';

const CLAIMS_PER_PAGE = 200;
const REMOVED_PER_BATCH = 100;
const REPLAYED_PER_BATCH = 50;

export interface AttemptLogPage extends Document {
  readonly at: number;
  readonly partitions: readonly number[];
  readonly claims: readonly Pick<DeliveryDocument, '_id' | 'state'>[];
}

interface Waiting {
  readonly delivery: DeliveryDocument;
  readonly resolve: (supersede: () => void) => void;
  readonly reject: (cause: unknown) => void;
}

export class AttemptLog {
  readonly #environment: Environment;
  #waiting: Waiting[] = [];
  #writing = false;
  /** Pages on which everything is covered. */
  #superseded: string[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Resolves when the claim is journaled; `covered` is called when a later state is. */
  append(delivery: DeliveryDocument): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    this.#waiting.push({ delivery, resolve, reject });
    if (!this.#writing) {
      this.#writing = true;
      setImmediate(() => void this.#drain());
    }
    return promise;
  }

  /** What is claimed of the partitions by whomever, written into the deliveries. */
  async replay(partitions: readonly number[], { before }: { before?: number } = {}) {
    const { store } = this.#environment;
    const filter = {
      partitions: { $in: partitions },
      ...(before === undefined ? {} : { at: { $lt: before } }),
    };
    for (;;) {
      // Each is taken away when it is written out: the next are others.
      const pages = await store.find<AttemptLogPage>('claims', filter, {
        limit: REPLAYED_PER_BATCH,
      });
      if (pages.length === 0) return;
      await commit(
        this.#environment,
        pages.flatMap(({ claims }) => claims.map(deliveryWrite)),
      );
      await commit(this.#environment, [removal(pages.map(({ _id }) => _id))]);
      if (pages.length < REPLAYED_PER_BATCH) return;
    }
  }

  /** Takes away what is of no use any more; what cannot be is found by a sweep. */
  async removeSuperseded(): Promise<void> {
    const ids = this.#superseded;
    if (ids.length === 0) return;
    this.#superseded = [];
    try {
      await commit(this.#environment, [removal(ids)], { deferrable: true });
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'attempt log cleanup failed');
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, CLAIMS_PER_PAGE));
    this.#writing = false;
  }

  async #write(waiting: readonly Waiting[]): Promise<void> {
    const { clock, ids } = this.#environment;
    const deliveries = waiting.map(({ delivery }) => delivery);
    const document: AttemptLogPage = {
      _id: ids.fresh('clm'),
      at: clock.now(),
      partitions: [...new Set(deliveries.map(({ partition }) => partition))],
      claims: deliveries.map(({ _id, state }) => ({ _id, state })),
    };
    try {
      await commit(this.#environment, [{ insert: 'claims', document }]);
    } catch (cause) {
      for (const { reject } of waiting) reject(cause);
      return;
    }
    let left = waiting.length;
    const supersede = (): void => {
      left--;
      if (left > 0) return;
      this.#superseded.push(document._id);
      if (this.#superseded.length >= REMOVED_PER_BATCH) void this.removeSuperseded();
    };
    for (const { resolve } of waiting) resolve(supersede);
  }
}

function removal(ids: readonly string[]): Write {
  return { remove: 'claims', filter: { _id: { $in: ids } } };
}
