/**
 * Statuses that name a message only by the network's id, and come before that id is on record:
 * they are kept under channel + network id until it is (I30).
 *
 * Whoever keeps one looks again after keeping it, and whoever records an id looks for kept ones
 * after recording it: one of the two sees the other.
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { Document } from '../../shared/ports.ts';
import type { Receipt } from '../domain/receipt.ts';
import { describe } from '../runtime/mailbox.ts';
import { purge } from '../runtime/purge.ts';
import { submitReceipt } from './ask-until-acknowledged.ts';
import type { ChannelEnvironment } from './configuration.ts';
import type { SentMessage } from './sent-index.ts';
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
  /** Network ids for which this desk has kept something. */
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

  /** Whether this desk has kept any: saves a read per send. */
  has(externalId: string): boolean {
    return this.#known.get(externalId) === true;
  }

  /** Brings what came early to the message, now that its network id is on record. */
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

/** Forgets those whose message never came to be known: somebody else sent it. */
export async function sweepUnmatchedReceipts({
  store,
  clock,
}: Pick<ChannelEnvironment, 'store' | 'clock'>): Promise<void> {
  const before = clock.now() - KEPT_MS;
  await purge(store, { collection: 'externals', filter: { at: { $lt: before } } });
}
