/** Workers of the event streams whose partitions this process owns. */
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { OwnedPartitions, Tenure } from '../runtime/owned-partitions.ts';
import type { DeliveryDocument, StreamNudge } from './api.ts';
import { StreamWorker } from './stream-worker.ts';

export class Streams {
  readonly #environment: Environment;
  readonly #owned: OwnedPartitions<StreamWorker>;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#owned = new OwnedPartitions(
      (epoch) =>
        new Tenure(epoch, (streamId) => new StreamWorker({ environment, streamId, epoch })),
    );
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

  nudge({ streamId, isEnded }: StreamNudge): void {
    const tenure = this.#owned.get(partitionOf('subscription', streamId));
    tenure?.of(streamId).wake(isEnded);
  }

  /** A stream's delivery that has waited for a day. */
  revisit(delivery: DeliveryDocument): void {
    const { subscriptionId: streamId } = delivery;
    this.of(streamId)
      .revisit(delivery)
      .catch((fault: unknown) => {
        const fields = { streamId, error: describe(fault) };
        this.#environment.log.warn(fields, 'a waiting delivery was not looked after');
      });
  }
}
