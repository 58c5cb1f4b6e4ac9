/** Work on one stream, one piece after another, as long as its owner's tenure lasts. */
import type { Clock } from '../../../shared/ports/clock.ts';
import { KeyedMutex } from '../../runtime/concurrency.ts';

const ALL = 'all';
const IDLE_MS = 60_000;

export class TenureWork {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #forget: () => void;
  readonly #mutex = new KeyedMutex();
  #isOver = false;
  /** Monotonic milliseconds. */
  #usedAt: number;

  /** @param forget after a fault: a write without an answer may have been made */
  constructor(clock: Pick<Clock, 'monotonic'>, forget: () => void) {
    this.#clock = clock;
    this.#forget = forget;
    this.#usedAt = clock.monotonic();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Not used for a minute. */
  get isIdle(): boolean {
    return this.#usedAt <= this.#clock.monotonic() - IDLE_MS;
  }

  use(): void {
    this.#usedAt = this.#clock.monotonic();
  }

  end(): void {
    this.#isOver = true;
  }

  /** @throws once the tenure is over: its epoch may be an old one */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(ALL, async () => {
      if (this.#isOver) throw new Error('the tenure of the stream is over');
      try {
        return await work();
      } catch (fault) {
        this.#forget();
        throw fault;
      }
    });
  }
}
