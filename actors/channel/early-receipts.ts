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
import { sweepAway } from '../runtime/sweep.ts';
import type { DeskWorld } from './configuration.ts';
import { EarlyChanges } from './early-changes.ts';
import { insistOnReceipt } from './insist.ts';
import type { SentMessage } from './sent-index.ts';

const KEPT_RECEIPTS = 10;
const KEPT_MS = 24 * 60 * 60 * 1000;
const KNOWN_MAX = 20_000;
const STORE_RETRY_MS = 250;

interface EarlyDocument extends Document {
  readonly receipts: readonly Receipt[];
}

export class EarlyReceipts {
  readonly changes: EarlyChanges;
  readonly #channelId: string;
  readonly #world: DeskWorld;
  /** Network ids for which this desk has kept something. */
  readonly #known = new GenerationalCache<string, true>(KNOWN_MAX);

  constructor(channelId: string, world: DeskWorld) {
    this.#channelId = channelId;
    this.#world = world;
    this.changes = new EarlyChanges(world, KEPT_MS);
  }

  /** Resolves when the receipt is durable. */
  async keep(externalId: string, receipt: Receipt): Promise<void> {
    const { store, clock } = this.#world;
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
    const { store, clock, log, leaseHeld } = this.#world;
    const _id = this.#nameOf(externalId);
    while (leaseHeld()) {
      try {
        const early = await store.byId<EarlyDocument>('externals', _id);
        for (const receipt of early?.receipts ?? []) {
          // The lease has ended: the receipts stay for the next owner.
          if (!(await insistOnReceipt(this.#world, { ...message, receipt }))) return;
        }
        if (early) await store.commit([{ remove: 'externals', filter: { _id } }]);
        this.#known.delete(externalId);
        return;
      } catch (fault) {
        const fields = { channelId: this.#channelId, error: describe(fault) };
        log.warn(fields, 'could not bring early receipts');
        await new Promise<void>((resume) => clock.after(STORE_RETRY_MS, resume));
      }
    }
  }

  #nameOf(externalId: string): string {
    return `${this.#channelId}/${externalId}`;
  }
}

/** Forgets those whose message never came to be known: somebody else sent it. */
export async function sweepEarlyReceipts({
  store,
  clock,
}: Pick<DeskWorld, 'store' | 'clock'>): Promise<void> {
  const before = clock.now() - KEPT_MS;
  await sweepAway(store, { collection: 'externals', filter: { at: { $lt: before } } });
}
