/**
 * Unmatched receipts: statuses that name a message only by the network's id, and arrive before that
 * id is on record. They are kept under channel and network id until then (I30).
 *
 * A writer that keeps a status searches for its message afterwards. A writer that records an id
 * searches for kept statuses afterwards. One of the two finds the other's record.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { Receipt } from '../domain/receipt.ts';
import { describe } from '../runtime/describe-fault.ts';
import { purge } from '../runtime/purge.ts';
import type { ChannelEnvironment } from './configuration.ts';
import type { SentMessage } from './sent-index.ts';
import { submitReceipt } from './submit-report.ts';
import { UnmatchedChanges } from './unmatched-changes.ts';

const KEPT_RECEIPTS = 10;
const KEPT_MS = 24 * 60 * 60 * 1000;
const KNOWN_MAX = 20_000;
const STORE_RETRY_MS = 250;

interface UnmatchedDocument extends Document {
  readonly receipts: readonly Receipt[];
}

export class UnmatchedReceipts {
  readonly changes: UnmatchedChanges;
  readonly #channelId: string;
  readonly #environment: ChannelEnvironment;
  /** Network ids for which this sender has kept receipts. */
  readonly #known = new GenerationalCache<string, true>(KNOWN_MAX);

  constructor(channelId: string, environment: ChannelEnvironment) {
    this.#channelId = channelId;
    this.#environment = environment;
    this.changes = new UnmatchedChanges(environment, KEPT_MS);
  }

  /** Resolves when the receipt is durable. */
  async keep(externalId: string, receipt: Receipt): Promise<void> {
    const { store, clock } = this.#environment;
    this.#known.set(externalId, true);
    const [kept] = await store.commit([
      {
        update: 'externals',
        filter: { _id: this.#nameOf(externalId) },
        change: {
          $push: { receipts: { $each: [receipt], $slice: -KEPT_RECEIPTS } },
          $set: { at: clock.now() },
        },
        upsert: true,
      },
    ]);
    if (kept?.ok !== true) throw new Error('the receipt was not kept', { cause: kept });
  }

  /** Whether this sender has kept receipts of the id: saves a read per send. */
  has(externalId: string): boolean {
    return this.#known.get(externalId) === true;
  }

  /** Submits the kept receipts of a message whose network id is now on record. */
  async apply({ externalId, ...message }: SentMessage & { externalId: string }): Promise<void> {
    const { store, clock, log, leaseHeld } = this.#environment;
    const _id = this.#nameOf(externalId);
    while (leaseHeld()) {
      try {
        const unmatched = await store.byId<UnmatchedDocument>('externals', _id);
        for (const receipt of unmatched?.receipts ?? []) {
          // The lease has ended: the receipts stay for the next owner.
          if (!(await submitReceipt(this.#environment, { ...message, receipt }))) return;
        }
        if (unmatched) await store.commit([{ remove: 'externals', filter: { _id } }]);
        this.#known.delete(externalId);
        return;
      } catch (fault) {
        const fields = { channelId: this.#channelId, error: describe(fault) };
        log.warn(fields, 'unmatched receipts not applied');
        await new Promise<void>((resume) => clock.after(STORE_RETRY_MS, resume));
      }
    }
  }

  #nameOf(externalId: string): string {
    return `${this.#channelId}/${externalId}`;
  }
}

/**
 * Removes receipts and changes after a day. Their message never became known here: another program
 * sent it.
 */
export async function sweepUnmatchedReceipts({
  store,
  clock,
}: Pick<ChannelEnvironment, 'store' | 'clock'>): Promise<void> {
  const before = clock.now() - KEPT_MS;
  await purge(store, { collection: 'externals', filter: { at: { $lt: before } } });
}
