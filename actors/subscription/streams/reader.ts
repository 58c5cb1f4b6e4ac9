/**
 * The connection of one stream, as its worker knows it: by its reads, and by its calls. Values:
 * each time comes in, in monotonic milliseconds.
 */
import {
  EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND,
  EVENT_STREAM_COMMENT_EVERY_MS,
} from '../../../shared/limits.ts';
import type { LeaveStream } from '../../../shared/wire/stream-commands.ts';

/** A silent connection reads every 15 s. */
const READER_TIMEOUT_MS = 3 * EVENT_STREAM_COMMENT_EVERY_MS;
const SECOND_MS = 1_000;
const NEVER = Number.NEGATIVE_INFINITY;

type Left = Pick<LeaveStream, 'connection' | 'generation'>;

export class StreamReader {
  /** Number of the newest connection that has read. */
  #connection = 0;
  /** Of the stream that the connection belongs to. */
  #generation = 0;
  #readAt = NEVER;
  #askedAt = NEVER;
  /** Of the last acknowledgements. */
  #acknowledgedAt: readonly number[] = [];

  get connection(): number {
    return this.#connection;
  }

  /** Whether there is a connection, as far as is known. */
  isThere(now: number): boolean {
    return now - this.#readAt < READER_TIMEOUT_MS;
  }

  /** Connections of an earlier stream of this name had numbers of their own. */
  begin(generation: number): void {
    if (this.#generation === generation) return;
    this.#generation = generation;
    this.#connection = 0;
    this.#readAt = NEVER;
    this.#askedAt = NEVER;
    this.#acknowledgedAt = [];
  }

  /** True for the first read of the connection. */
  hasRead(connection: number, now: number): boolean {
    this.#readAt = now;
    const isNew = connection > this.#connection;
    this.#connection = connection;
    return isNew;
  }

  /** The connection has ended; one of an ended stream may be told of when the next one reads. */
  leave({ connection, generation = this.#generation }: Left): void {
    const counts = generation === this.#generation && connection >= this.#connection;
    if (counts) this.#readAt = NEVER;
  }

  /** Whether to ask for a read, once a second: there may be no connection. */
  mayAsk(now: number): boolean {
    if (now - this.#askedAt < SECOND_MS) return false;
    this.#askedAt = now;
    return true;
  }

  /** False where this acknowledgement comes too soon. */
  mayAcknowledge(now: number): boolean {
    const recent = this.#acknowledgedAt.filter((at) => now - at < SECOND_MS);
    const isAllowed = recent.length < EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND;
    this.#acknowledgedAt = isAllowed ? [...recent, now] : recent;
    return isAllowed;
  }
}
