/**
 * One connection of an event stream: writes the deliveries that its owner gives it.
 *
 * 1. It writes each delivery once, in the order of positions. Its position is that of the last one.
 * 2. A push that follows its position is written as it is. Any other push makes it read, and so do
 *    15 s of silence, since pushes may be lost.
 * 3. A failed read is repeated after a pause, and ends no connection.
 * 4. At most one page is in memory: the next is read after the socket has accepted the one before.
 * 5. A peer that accepts nothing for `EVENT_STREAM_STALL_MS` is cut off.
 */
import {
  EVENT_STREAM_COMMENT_EVERY_MS,
  EVENT_STREAM_STALL_MS,
  EVENT_STREAM_TOUCHED_EVERY_MS,
  EVENT_STREAM_UNACKNOWLEDGED_MAX,
} from '../../shared/limits.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { PushedPage, StreamRead } from '../../shared/wire/stream-commands.ts';
import type { BodyStream } from '../http/respond.ts';
import { COMMENT, pageBytes, REPLACED, RETRY } from './event-bytes.ts';

/** Pauses between failed reads. */
const READ_AGAIN_MS = 500;
const READ_AGAIN_MAX_MS = 8_000;
/** A stall is measured by slices of a page. */
const SLICE_BYTES = 64 * 1024;
const NEVER = Number.POSITIVE_INFINITY;

/** The owners of a stream, as its connection sees them. */
export interface StreamOwners {
  /** The deliveries behind the position. @throws when no owner answers */
  read(after: number): Promise<StreamRead>;
  /** Keeps the stream; false where there is none. @throws when no owner answers */
  touch(): Promise<boolean>;
  /** Tells that the connection has ended; nobody waits for it. */
  leave(): void;
  /** Calls back for each push until the returned function is called. */
  listen(onPush: (page: PushedPage) => void): () => void;
}

export class EventStream implements BodyStream {
  readonly sizeBytes = null;
  readonly hasOwnTimeout = true;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly cutOff: Promise<void>;
  readonly #clock: Clock;
  readonly #owners: StreamOwners;
  readonly #onEnd: () => void;
  readonly #cut: () => void;
  readonly #stopListening: () => void;
  #position = 0;
  /** Monotonic time of the next read; `NEVER` while everything is written, as far as is known. */
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
  #touchAt: number;
  /** No further event is written. */
  #isComplete = false;
  #ended = false;
  /** Another connection has the stream, or will have it at once. */
  #isElsewhere = false;
  /** Set while nothing is being written. */
  #wake: (() => void) | null = null;

  /** @param onEnd called once */
  constructor(clock: Clock, owners: StreamOwners, onEnd: () => void) {
    this.#clock = clock;
    this.#owners = owners;
    this.#onEnd = onEnd;
    this.#writtenAt = clock.monotonic();
    this.#touchAt = this.#writtenAt + EVENT_STREAM_TOUCHED_EVERY_MS;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.cutOff = promise;
    this.#cut = resolve;
    this.#stopListening = owners.listen((page) => this.#hear(page));
    this.chunks = this.#events();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#arrived = null;
    this.#stopListening();
    this.#wake?.();
    this.#onEnd();
    if (!this.#isElsewhere) this.#owners.leave();
  }

  /** Ends at once, also while the peer does not read. Its client connects again elsewhere. */
  close(): void {
    this.#isElsewhere = true;
    this.end();
    this.#cut();
  }

  async *#events(): AsyncGenerator<Uint8Array, undefined> {
    yield* this.#slices(RETRY);
    while (!this.#isOver) {
      const bytes = this.#next();
      if (bytes) yield* this.#slices(bytes);
      else if (!this.#isOver) await this.#pause();
    }
  }

  get #isOver(): boolean {
    return this.#ended || this.#isComplete;
  }

  /** The socket has accepted a slice when the next one is asked for. */
  async *#slices(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      const cancel = this.#clock.after(EVENT_STREAM_STALL_MS, this.#cut);
      try {
        yield bytes.subarray(from, from + SLICE_BYTES);
      } finally {
        cancel();
      }
    }
    this.#writtenAt = this.#clock.monotonic();
  }

  /** Bytes that are to be written now; null: nothing yet. */
  #next(): Uint8Array | null {
    const bytes = this.#arrived && this.#take(this.#arrived);
    if (bytes || this.#isComplete) return bytes;
    const now = this.#clock.monotonic();
    if (now >= this.#touchAt) void this.#touch(now);
    if (now >= this.#writtenAt + EVENT_STREAM_COMMENT_EVERY_MS) {
      this.#readAt = Math.min(this.#readAt, now);
      return COMMENT;
    }
    if (now >= this.#readAt && !this.#isReading) void this.#read();
    return null;
  }

  #take(arrived: StreamRead): Uint8Array | null {
    this.#arrived = null;
    if (arrived.outcome !== 'page') {
      this.#isComplete = true;
      this.#isElsewhere = true;
      return arrived.outcome === 'replaced' ? REPLACED : null;
    }
    const { deliveries, dropped, unacknowledged, more } = arrived;
    const last = deliveries.at(-1);
    if (last) {
      this.#position = last.position;
      this.#isComplete = unacknowledged >= EVENT_STREAM_UNACKNOWLEDGED_MAX;
    }
    const now = this.#clock.monotonic();
    const isBehind = this.#pushedUpTo > this.#position;
    this.#pushedUpTo = 0;
    if (more && !last) this.#readAt = now + READ_AGAIN_MS;
    else this.#readAt = more || isBehind ? now : NEVER;
    const reported = this.#dropped;
    this.#dropped = dropped;
    const isNews = dropped > reported;
    return last || isNews ? pageBytes(deliveries, isNews ? dropped : 0) : null;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    const read = await this.#owners.read(this.#position).catch(() => null);
    this.#isReading = false;
    if (this.#ended) return;
    if (read) this.#failures = 0;
    else {
      const pauseMs = Math.min(READ_AGAIN_MS * 2 ** this.#failures++, READ_AGAIN_MAX_MS);
      this.#readAt = this.#clock.monotonic() + pauseMs;
    }
    this.#arrived = read;
    this.#wake?.();
  }

  #hear(page: PushedPage): void {
    const upTo = page.deliveries.at(-1)?.position ?? NEVER;
    if (this.#isReading || this.#arrived) this.#pushedUpTo = Math.max(this.#pushedUpTo, upTo);
    else if (this.#isNext(page)) {
      this.#arrived = { ...page, outcome: 'page', more: false, dropped: this.#dropped };
    } else this.#readAt = Math.min(this.#readAt, this.#clock.monotonic());
    this.#wake?.();
  }

  /** Everything before the push is written, and the socket has accepted it. */
  #isNext({ after, deliveries }: PushedPage): boolean {
    const isWaiting = this.#wake !== null && this.#readAt === NEVER;
    return isWaiting && deliveries.length > 0 && after === this.#position;
  }

  /** A touch without an answer is repeated after the next silence. */
  async #touch(now: number): Promise<void> {
    this.#touchAt = now + EVENT_STREAM_TOUCHED_EVERY_MS;
    const isOpen = await this.#owners.touch().catch(() => null);
    if (isOpen === null) this.#touchAt = now + EVENT_STREAM_COMMENT_EVERY_MS;
    else if (!isOpen) this.end();
  }

  /** Resolves at a push, at an answer, at the end, or when something is due. */
  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const commentAt = this.#writtenAt + EVENT_STREAM_COMMENT_EVERY_MS;
    const readAt = this.#isReading ? NEVER : this.#readAt;
    const dueAt = Math.min(commentAt, readAt);
    const cancel = this.#clock.after(Math.max(0, dueAt - this.#clock.monotonic()), resolve);
    this.#wake = resolve;
    await promise;
    this.#wake = null;
    cancel();
  }
}
