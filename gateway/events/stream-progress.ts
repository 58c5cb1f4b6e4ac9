/**
 * Progress of one connection of an event stream: what is written next, and when its owner is read.
 * Without a clock or a socket (`event-stream.ts` has both); times are monotonic.
 */
import {
  EVENT_STREAM_COMMENT_EVERY_MS,
  EVENT_STREAM_UNACKNOWLEDGED_MAX,
} from '../../shared/limits.ts';
import type { PushedPage, StreamRead } from '../../shared/wire/stream-commands.ts';
import { pageBytes, REPLACED } from './event-bytes.ts';

/** Pauses between failed reads. */
const READ_AGAIN_MS = 500;
const READ_AGAIN_MAX_MS = 8_000;
const NEVER = Number.POSITIVE_INFINITY;

export class StreamProgress {
  #position = 0;
  /** Time of the next read; `NEVER` while everything is written, as far as is known. */
  #readAt = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #failures = 0;
  /** Of the pushes since the last read or page that is not written yet; `NEVER`: of a hint. */
  #pushedUpTo = 0;
  /** The last number of dropped events that was told. */
  #dropped = 0;
  /** An answer or a push that is written next. */
  #arrived: StreamRead | null = null;
  #writtenAt: number;
  /** `complete`: no further event is written. */
  #phase: 'open' | 'complete' | 'ended' = 'open';
  /** Another connection has the stream, or will have it at once. */
  isElsewhere = false;

  constructor(now: number) {
    this.#writtenAt = now;
  }

  get isOver(): boolean {
    return this.#phase !== 'open';
  }

  /** False: it has ended before. */
  end(): boolean {
    if (this.#phase === 'ended') return false;
    this.#phase = 'ended';
    this.#arrived = null;
    return true;
  }

  /** The socket has accepted all that was given to it. */
  written(now: number): void {
    this.#writtenAt = now;
  }

  /** Nothing was written for so long that a comment is due; pushes may be lost: a read is, too. */
  breakSilence(now: number): boolean {
    if (now < this.#writtenAt + EVENT_STREAM_COMMENT_EVERY_MS) return false;
    this.#readAt = Math.min(this.#readAt, now);
    return true;
  }

  /** The time of the next comment or read. */
  get dueAt(): number {
    const readAt = this.#isReading ? NEVER : this.#readAt;
    return Math.min(this.#writtenAt + EVENT_STREAM_COMMENT_EVERY_MS, readAt);
  }

  /** Begins the read that is due, behind this position; null: none is. */
  beginRead(now: number): number | null {
    if (now < this.#readAt || this.#isReading) return null;
    this.#isReading = true;
    return this.#position;
  }

  /** @param read null: no owner has answered */
  endRead(read: StreamRead | null, now: number): void {
    this.#isReading = false;
    if (this.#phase === 'ended') return;
    if (read) this.#failures = 0;
    else {
      this.#readAt = now + Math.min(READ_AGAIN_MS * 2 ** this.#failures++, READ_AGAIN_MAX_MS);
    }
    this.#arrived = read;
  }

  /** @param isWaiting everything that was taken is written, and the socket has accepted it */
  hear(page: PushedPage, isWaiting: boolean, now: number): void {
    const upTo = page.deliveries.at(-1)?.position ?? NEVER;
    const isNext =
      isWaiting &&
      this.#readAt === NEVER &&
      page.deliveries.length > 0 &&
      page.after === this.#position;
    if (this.#isReading || this.#arrived) this.#pushedUpTo = Math.max(this.#pushedUpTo, upTo);
    else if (isNext) {
      this.#arrived = { ...page, outcome: 'page', more: false, dropped: this.#dropped };
    } else this.#readAt = Math.min(this.#readAt, now);
  }

  /** Bytes of what has arrived; null: nothing that is written. */
  take(now: number): Uint8Array | null {
    const arrived = this.#arrived;
    this.#arrived = null;
    if (!arrived) return null;
    if (arrived.outcome !== 'page') {
      this.#phase = 'complete';
      this.isElsewhere = true;
      return arrived.outcome === 'replaced' ? REPLACED : null;
    }
    const { deliveries, dropped, unacknowledged, more } = arrived;
    const last = deliveries.at(-1);
    if (last) {
      this.#position = last.position;
      if (unacknowledged >= EVENT_STREAM_UNACKNOWLEDGED_MAX) this.#phase = 'complete';
    }
    const isBehind = this.#pushedUpTo > this.#position;
    this.#pushedUpTo = 0;
    if (more && !last) this.#readAt = now + READ_AGAIN_MS;
    else this.#readAt = more || isBehind ? now : NEVER;
    const isNews = dropped > this.#dropped;
    this.#dropped = dropped;
    return last || isNews ? pageBytes(deliveries, isNews ? dropped : 0) : null;
  }
}
