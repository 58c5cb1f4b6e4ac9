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
} from '../../shared/limits.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { PushedPage, StreamRead } from '../../shared/wire/stream-commands.ts';
import type { BodyStream } from '../http/respond.ts';
import { COMMENT, RETRY } from './event-bytes.ts';
import { StreamProgress } from './stream-progress.ts';

/** A stall is measured by slices of a page. */
const SLICE_BYTES = 64 * 1024;

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
  readonly #progress: StreamProgress;
  #touchAt: number;
  /** Set while nothing is being written. */
  #wake: (() => void) | null = null;

  /** @param onEnd called once */
  constructor(clock: Clock, owners: StreamOwners, onEnd: () => void) {
    this.#clock = clock;
    this.#owners = owners;
    const now = clock.monotonic();
    this.#progress = new StreamProgress(now);
    this.#touchAt = now + EVENT_STREAM_TOUCHED_EVERY_MS;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.cutOff = promise;
    this.#cut = resolve;
    const stopListening = owners.listen((page) => this.#hear(page));
    this.#onEnd = () => {
      stopListening();
      onEnd();
    };
    this.chunks = this.#events();
  }

  end(): void {
    if (!this.#progress.end()) return;
    this.#wake?.();
    this.#onEnd();
    if (!this.#progress.isElsewhere) this.#owners.leave();
  }

  /** Ends at once, also while the peer does not read. Its client connects again elsewhere. */
  close(): void {
    this.#progress.isElsewhere = true;
    this.end();
    this.#cut();
  }

  async *#events(): AsyncGenerator<Uint8Array, undefined> {
    let bytes: Uint8Array | null = RETRY;
    while (bytes || !this.#progress.isOver) {
      if (bytes) {
        yield* slices(bytes, this.#clock, this.#cut);
        this.#progress.written(this.#clock.monotonic());
      } else await this.#pause();
      bytes = this.#progress.isOver ? null : this.#next();
    }
  }

  /** Bytes that are to be written now; null: nothing yet. */
  #next(): Uint8Array | null {
    const now = this.#clock.monotonic();
    const bytes = this.#progress.take(now);
    if (bytes || this.#progress.isOver) return bytes;
    if (now >= this.#touchAt) void this.#touch(now);
    if (this.#progress.breakSilence(now)) return COMMENT;
    const after = this.#progress.beginRead(now);
    if (after !== null) void this.#read(after);
    return null;
  }

  async #read(after: number): Promise<void> {
    const read = await this.#owners.read(after).catch(() => null);
    this.#progress.endRead(read, this.#clock.monotonic());
    this.#wake?.();
  }

  #hear(page: PushedPage): void {
    this.#progress.hear(page, this.#wake !== null, this.#clock.monotonic());
    this.#wake?.();
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
    const waitMs = Math.max(0, this.#progress.dueAt - this.#clock.monotonic());
    const cancel = this.#clock.after(waitMs, resolve);
    this.#wake = resolve;
    await promise;
    this.#wake = null;
    cancel();
  }
}

/** The socket has accepted a slice when the next one is asked for. */
async function* slices(
  bytes: Uint8Array,
  clock: Clock,
  cut: () => void,
): AsyncGenerator<Uint8Array, void> {
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    const cancel = clock.after(EVENT_STREAM_STALL_MS, cut);
    try {
      yield bytes.subarray(from, from + SLICE_BYTES);
    } finally {
      cancel();
    }
  }
}
