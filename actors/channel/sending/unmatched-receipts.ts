/**
 * Receipts of sends, submitted to their conversations until acknowledged. Receipts that arrive
 * before their message is on record are kept until then.
 */

import { GenerationalCache } from '../../../shared/generational-cache.ts';
import type { Receipt } from '../../domain/conversation/network-message.ts';
import type { Operations, Write } from '../../model/collections.ts';
import { purge } from '../../runtime/purge.ts';
import { retryWhile } from '../../runtime/repeat.ts';
import type { ChannelEnvironment } from '../readiness/configuration.ts';
import { submitReport } from '../readiness/reports.ts';
import type { SentMessage } from './sent-index.ts';

interface ReceiptReport {
  readonly conversationId: string;
  readonly messageId: string;
  readonly receipt: Receipt;
  /** The network's own id of the contact, where the receipt shows it. */
  readonly networkId?: string | undefined;
}

export function submitReceipt(
  environment: ChannelEnvironment,
  report: ReceiptReport,
): Promise<boolean> {
  const { conversationId, messageId, receipt, networkId = null } = report;
  const id = environment.ids.fresh('cmd');
  const to = { kind: 'conversation', key: conversationId } as const;
  return submitReport(environment, to, { id, type: 'receipt', messageId, receipt, networkId });
}

/** The newest of one message. */
const RECEIPTS_MAX = 10;
export const UNMATCHED_TTL_MS = 24 * 60 * 60 * 1000;
/** Names in memory; one that was forgotten costs a read of the store. */
export const KNOWN_MAX = 20_000;
const RETRY = { firstMs: 250 };

export type KeepingEnvironment = Pick<ChannelEnvironment, 'store' | 'clock'>;

/**
 * Unmatched receipts: statuses that name a message only by the network's id, and arrive before that
 * id is on record. They are kept under channel and network id until then (I30).
 *
 * A writer that keeps a status searches for its message afterwards. A writer that records an id
 * searches for kept statuses afterwards. One of the two finds the other's record.
 */
export class UnmatchedReceipts {
  readonly #channelId: string;
  readonly #environment: ChannelEnvironment;
  /** Network ids for which this sender has kept receipts. */
  readonly #known = new GenerationalCache<string, true>(KNOWN_MAX);

  constructor(channelId: string, environment: ChannelEnvironment) {
    this.#channelId = channelId;
    this.#environment = environment;
  }

  /** Resolves when the receipt is durable. */
  async keep(externalId: string, receipt: Receipt): Promise<void> {
    this.#known.set(externalId, true);
    const _id = this.#nameOf(externalId);
    const $push = { receipts: { $each: [receipt], $slice: -RECEIPTS_MAX } };
    await keepDurably(this.#environment, { _id, what: 'receipt', change: { $push } });
  }

  /** Whether this sender has kept receipts of the id: saves a read per send. */
  has(externalId: string): boolean {
    return this.#known.get(externalId) === true;
  }

  /** Submits the kept receipts of a message whose network id is now on record. */
  async apply({ externalId, ...message }: SentMessage & { externalId: string }): Promise<void> {
    const { store, leaseHeld: mayAct } = this.#environment;
    const _id = this.#nameOf(externalId);
    const fields = { channelId: this.#channelId };
    const retry = { mayAct, wait: RETRY, failedMessage: 'unmatched receipts not applied', fields };
    await retryWhile(this.#environment, retry, async () => {
      const unmatched = await store.byId('externals', _id);
      for (const receipt of unmatched?.receipts ?? []) {
        // The lease has ended: the receipts stay for the next owner.
        if (!(await submitReceipt(this.#environment, { ...message, receipt }))) return;
      }
      if (unmatched) await store.commit([{ remove: 'externals', filter: { _id } }]);
      this.#known.delete(externalId);
    });
  }

  #nameOf(externalId: string): string {
    return `${this.#channelId}/${externalId}`;
  }
}

/** Removes receipts and changes after a day: another program sent their message. */
export async function sweepUnmatchedReceipts({ store, clock }: KeepingEnvironment): Promise<void> {
  const before = clock.now() - UNMATCHED_TTL_MS;
  await purge(store, { collection: 'externals', filter: { at: { $lt: before } } });
}

type Kept = Pick<Operations<'externals'>, '$max' | '$push'>;

/** What waits for its message, of one name. */
export async function keepDurably(
  { store, clock }: KeepingEnvironment,
  { _id, what, change }: { readonly _id: string; readonly what: string; readonly change: Kept },
): Promise<void> {
  const dated = { ...change, $set: { at: clock.now() } };
  const write: Write = { update: 'externals', filter: { _id }, change: dated, upsert: true };
  const [kept] = await store.commit([write]);
  if (kept?.ok !== true) throw new Error(`the ${what} was not kept`, { cause: kept });
}
