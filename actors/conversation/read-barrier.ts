/**
 * Read barrier of conversation lists: a list that is read right after a 201 shows the new state.
 * Before the read, every owner of conversations writes its due snapshots.
 *
 * 1. The barrier is passed when owners have answered for all 64 partitions. While a partition has
 *    no owner, a list waits as a send does.
 * 2. Lists that wait at the same moment share one barrier.
 */
import { PARTITIONS } from '../../shared/limits.ts';
import { AskFailed } from '../../shared/ports/bus.ts';
import type { Environment } from '../environment.ts';
import { sleep } from '../runtime/repeat.ts';

const TOPIC = 'snapshots';
const RETRY_MS = 150;
const TIMEOUT_MS = 7_000;

interface Flushed {
  readonly partitions: readonly number[];
}

type ReadBarrierEnvironment = Pick<Environment, 'bus' | 'clock'>;

/** `flush` writes the due snapshots and answers the partitions that are complete. */
export function serveReadBarrier(
  environment: ReadBarrierEnvironment,
  flush: () => Promise<readonly number[]>,
): void {
  environment.bus.answerAll(TOPIC, async (): Promise<Flushed> => ({ partitions: await flush() }));
}

export class ReadBarrier {
  readonly #environment: ReadBarrierEnvironment;
  #next: Promise<void> | null = null;
  #current: Promise<void> = Promise.resolve();

  constructor(environment: ReadBarrierEnvironment) {
    this.#environment = environment;
  }

  /** @throws {AskFailed} when no owner has answered for a partition within 7 s */
  pass(): Promise<void> {
    // The barrier under way may have asked an owner before the caller's entry was committed.
    this.#next ??= this.#current
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        this.#current = this.#ask();
        return this.#current;
      });
    return this.#next;
  }

  async #ask(): Promise<void> {
    const { bus, clock } = this.#environment;
    const { promise: passed, resolve } = Promise.withResolvers<void>();
    const missing = new Set(Array.from({ length: PARTITIONS }, (_, number) => number));
    const until = clock.monotonic() + TIMEOUT_MS;
    while (missing.size > 0) {
      const leftMs = until - clock.monotonic();
      if (leftMs <= 0) throw new AskFailed(TOPIC);
      const stop = bus.askAll(TOPIC, (answer) => {
        for (const number of (answer as Flushed).partitions) missing.delete(number);
        if (missing.size === 0) resolve();
      });
      await sleep(clock, Math.min(RETRY_MS, leftMs), passed).finally(stop);
    }
  }
}
