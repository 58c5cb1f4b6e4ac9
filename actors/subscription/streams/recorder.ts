/**
 * Recorder of one event stream: its owner alone gives events their places in it.
 *
 * 1. An event that was published when another was on record has a higher place: by the same owner,
 *    or by one with a higher epoch, as an owner gives places under its lease alone. Others are in
 *    any order: an event names the earlier ones of its entity among them (`predecessors.ts`).
 * 2. Ids are derived from event and stream. A repeat records nothing, and a paused owner's late
 *    insert is refused where its successor has made it.
 * 3. Nothing is recorded for a stream that has ended, nor for an earlier one of its name.
 */

import type { LiveStream } from '../../domain/organization/streams.ts';
import { sortKey } from '../../domain/published-event.ts';
import type { Environment } from '../../environment.ts';
import type { Write } from '../../model/collections.ts';
import type { DeliveryDocument, RecordEvents } from '../../model/subscription.ts';
import {
  type Recorded,
  type RecordingEnvironment,
  recordedDelivery,
} from '../deliveries/recorded-delivery.ts';
import type { StreamSource } from './source.ts';

/** Sorts behind the digits that each place began with when an organization's owner gave them. */
const BY_STREAM = 's';

/** A place in a stream. */
export function streamOrder(epoch: number, count: number): string {
  return `${BY_STREAM}${sortKey(epoch, count)}`;
}

/** The delivery of a stream. It waits for a connection, and for no time. */
export function streamDelivery(
  environment: RecordingEnvironment,
  { createdAt: generation }: Pick<LiveStream, 'createdAt'>,
  { order, ...recorded }: Recorded & { readonly order: string },
): DeliveryDocument {
  const { state, ...delivery } = recordedDelivery(environment, recorded);
  const { number, after } = recorded.event;
  const among = { ...(number === undefined ? {} : { number }), ...(after ? { after } : {}) };
  const ordering = { order, generation, ...among };
  return { ...delivery, ...ordering, state: { ...state, nextAttemptAt: null } };
}

/** The number of inserts. A duplicate was recorded before. */
export async function insertAll(
  { store }: Pick<Environment, 'store'>,
  deliveries: readonly DeliveryDocument[],
): Promise<number> {
  if (deliveries.length === 0) return 0;
  const inserts = deliveries.map((document): Write => ({ insert: 'deliveries', document }));
  const outcomes = await store.commit(inserts);
  for (const outcome of outcomes) {
    if (!outcome.ok && 'error' in outcome) throw outcome.error;
  }
  return outcomes.filter(({ ok }) => ok).length;
}

export interface StreamRecorderSettings {
  readonly streamId: string;
  readonly epoch: number;
  /** Rises with each call in this process. */
  readonly nextCount: () => number;
  readonly source: StreamSource;
}

export class StreamRecorder {
  readonly #environment: Pick<Environment, 'store' | 'ids' | 'clock' | 'leaseHeld'>;
  readonly #settings: StreamRecorderSettings;

  constructor(
    environment: Pick<Environment, 'store' | 'ids' | 'clock' | 'leaseHeld'>,
    settings: StreamRecorderSettings,
  ) {
    this.#environment = environment;
    this.#settings = settings;
  }

  /**
   * The number of new deliveries, which are journaled.
   * @throws once the lease has ended: the repeat tells the next owner, whatever was recorded here
   */
  async record({ orgId, generation, events }: RecordEvents): Promise<number> {
    const { streamId, epoch, nextCount, source } = this.#settings;
    if (!(await source.isLive(orgId, generation))) return 0;
    this.#assertLease();
    const stream = { createdAt: generation };
    const deliveries = events.map((event) => {
      const order = streamOrder(epoch, nextCount());
      const recorded = { orgId, subscriptionId: streamId, event, order };
      return streamDelivery(this.#environment, stream, recorded);
    });
    const inserted = await insertAll(this.#environment, deliveries);
    this.#assertLease();
    return inserted;
  }

  #assertLease(): void {
    if (!this.#environment.leaseHeld()) throw new Error('the tenure of the stream is over');
  }
}
