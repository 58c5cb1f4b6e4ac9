/**
 * Write-ahead log of first attempts. One small insert records all claims of one moment, of any
 * subscriptions. An update of each delivery costs the engine four times as much.
 *
 * 1. An attempt starts only after its claim is journaled here. Its outcome is written to the
 *    delivery itself and supersedes the claim, so removing the page loses nothing.
 * 2. A new owner of a partition first writes every claim of its pages to the deliveries. No attempt
 *    of the partition starts before. A repeated or late write changes nothing: the states only rise
 *    (`documents.ts`).
 * 3. A page with superseded claims only is removed. A periodic replay writes out the pages that
 *    were never removed.
 */

import type { Environment } from '../../environment.ts';
import type { Write } from '../../model/collections.ts';
import type { AttemptLogPage, DeliveryDocument } from '../../model/subscription.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { shelvesOf } from '../../runtime/shelves.ts';
import { commit, deliveryWrite } from './documents.ts';

const CLAIMS_PER_PAGE = 200;
const REMOVED_PER_BATCH = 100;
const REPLAYED_AT_ONCE = 50;

interface Waiting {
  readonly delivery: DeliveryDocument;
  readonly resolve: (supersede: () => void) => void;
  readonly reject: (cause: unknown) => void;
}

export class AttemptLog {
  readonly #environment: Environment;
  /** One for each attempt that begins: bounded by the attempts under way. */
  #waiting: Waiting[] = [];
  #writing = false;
  /** Pages with superseded claims only, until a batch of them is removed. */
  #superseded: string[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Resolves when the claim is journaled. The caller calls the result when a later state is. */
  append(delivery: DeliveryDocument): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    this.#waiting.push({ delivery, resolve, reject });
    if (!this.#writing) {
      this.#writing = true;
      setImmediate(() => void this.#drain());
    }
    return promise;
  }

  /**
   * Writes the claims of the partitions, by any owner, to the deliveries, and removes the pages.
   * `before`: only pages older than this, epoch milliseconds.
   */
  async replay(partitions: readonly number[], { before }: { before?: number } = {}) {
    const { store } = this.#environment;
    const older = before === undefined ? {} : { at: { $lt: before } };
    // A claim of another's, of the same shelf, is written out early: states only rise.
    const filter = { partitions: { $in: shelvesOf(partitions) }, ...older };
    // Of the shelf's other owners new pages come meanwhile, without an end.
    const found = await store.find('claims', filter, { project: { _id: 1 } });
    const ids = found.map(({ _id }) => _id);
    for (let from = 0; from < ids.length; from += REPLAYED_AT_ONCE) {
      const some = ids.slice(from, from + REPLAYED_AT_ONCE);
      const pages = await store.find('claims', { _id: { $in: some } });
      const writes = pages.flatMap(({ claims }) => claims.map(deliveryWrite));
      await commit(this.#environment, writes);
      await commit(this.#environment, [removal(some)]);
    }
  }

  /** Removes superseded pages. If that fails, the periodic replay finds them. */
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
