/** The connection of one stream, as its worker knows it: by its reads, and by its calls. */
import {
  EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND,
  EVENT_STREAM_COMMENT_EVERY_MS,
} from '../../../shared/limits.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

/** A silent connection reads every 15 s. */
const READER_KEPT_MS = 3 * EVENT_STREAM_COMMENT_EVERY_MS;
const SECOND_MS = 1_000;
const NEVER = Number.NEGATIVE_INFINITY;

export class StreamReader {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Number of the newest connection that has read. */
  #connection = 0;
  /** Monotonic milliseconds, as all times here. */
  #readAt = NEVER;
  #askedAt = NEVER;
  /** Of the last acknowledgements. */
  #acknowledgedAt: readonly number[] = [];

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get connection(): number {
    return this.#connection;
  }

  /** Whether there is a connection, as far as is known. */
  get isThere(): boolean {
    return this.#clock.monotonic() - this.#readAt < READER_KEPT_MS;
  }

  /** True for the first read of the connection. */
  hasRead(connection: number): boolean {
    this.#readAt = this.#clock.monotonic();
    const isNew = connection > this.#connection;
    this.#connection = connection;
    return isNew;
  }

  /** The connection has ended. */
  leave(connection: number): void {
    if (connection >= this.#connection) this.#readAt = NEVER;
  }

  /** Whether to ask for a read, once a second: there may be no connection. */
  mayAsk(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#askedAt < SECOND_MS) return false;
    this.#askedAt = now;
    return true;
  }

  /** False where this acknowledgement comes too soon. */
  mayAcknowledge(): boolean {
    const now = this.#clock.monotonic();
    const recent = this.#acknowledgedAt.filter((at) => now - at < SECOND_MS);
    const isAllowed = recent.length < EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND;
    this.#acknowledgedAt = isAllowed ? [...recent, now] : recent;
    return isAllowed;
  }
}
