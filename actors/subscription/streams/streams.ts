/** Workers of the event streams whose partitions this process owns. */

import { partitionOf } from '../../../shared/wire/subjects.ts';
import type { Environment } from '../../environment.ts';
import type { DeliveryDocument, StreamNudge } from '../../model/subscription.ts';
import { Batcher } from '../../runtime/concurrency.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { OwnedPartitions, Tenure } from '../../runtime/owned-partitions.ts';
import { shelvesOf } from '../../runtime/shelves.ts';
import { StreamWorker } from './worker.ts';

export class Streams {
  readonly #environment: Environment;
  readonly #owned: OwnedPartitions<StreamWorker>;
  /** Events that were recorded here, of all streams: a worker that was idle does not begin anew. */
  #recorded = 0;
  readonly #scheduled = new Batcher((ids: readonly string[], streamId) =>
    this.of(streamId).unschedule(ids),
  );

  constructor(environment: Environment) {
    this.#environment = environment;
    const nextCount = () => ++this.#recorded;
    const workerOf = (epoch: number) => (streamId: string) =>
      new StreamWorker({ environment, streamId, epoch, nextCount });
    this.#owned = new OwnedPartitions((epoch) => new Tenure(epoch, workerOf(epoch)));
  }

  acquire(partition: number, epoch: number): void {
    this.#owned.acquire(partition, epoch);
  }

  release(partition: number): void {
    this.#owned.release(partition);
  }

  disposeIdle(): void {
    for (const number of this.#owned.numbers) this.#owned.get(number)?.disposeIdle();
  }

  /** @throws where the partition is not owned */
  of(streamId: string): StreamWorker {
    const tenure = this.#owned.get(partitionOf('subscription', streamId));
    if (!tenure) throw new Error('the partition of the stream is not owned');
    return tenure.of(streamId);
  }

  nudge({ streamId }: StreamNudge): void {
    const tenure = this.#owned.get(partitionOf('subscription', streamId));
    tenure?.of(streamId).reconfigure();
  }

  /** A stream's delivery of an earlier version has a time at which it is due: it waits for none. */
  unschedule({ subscriptionId: streamId, _id }: DeliveryDocument): void {
    this.#scheduled.add(_id, streamId).catch((fault: unknown) => {
      const fields = { streamId, error: describe(fault) };
      this.#environment.log.warn(fields, 'a waiting delivery was not looked after');
    });
  }

  /** Ends what is left of streams that have ended. */
  async sweep(): Promise<void> {
    const { store, log } = this.#environment;
    const streams = await store.find('streams', {
      partition: { $in: shelvesOf(this.#owned.numbers) },
    });
    for (const { _id: streamId, orgId } of streams) {
      // Swept before, or not read since an earlier version: whether it has ended is not known.
      if (orgId === undefined) continue;
      if (!this.#owned.get(partitionOf('subscription', streamId))) continue;
      try {
        if (!(await this.of(streamId).sweep(orgId))) continue;
        // The cursor stays: a later stream of this name goes on behind its positions, so that an
        // acknowledgement of the ended one settles nothing new.
        const forgotten = { $unset: { orgId: '' } };
        await store.commit([{ update: 'streams', filter: { _id: streamId }, change: forgotten }]);
      } catch (fault) {
        log.warn({ streamId, error: describe(fault) }, 'a stream was not swept');
      }
    }
  }
}
