/**
 * One page's stream of Server-Sent Events (WHATWG HTML, 9.2): hints, and a heartbeat.
 *
 * 1. A page that reads too slowly gets one `resync` in place of a queue.
 * 2. An ended session is the last event. A page that does not read is cut off instead.
 * 3. The server asks for the next event after the socket has accepted the one before.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { BodyStream } from '../../http/respond.ts';
import type { EncodedHints } from './live-feed.ts';
import { WaitingHints } from './waiting-hints.ts';

const HEARTBEAT_MS = 15_000;

/** An event, since comments are not shown to pages. */
const HEARTBEAT = Buffer.from('event: beat\ndata: {}\n\n');
/** The last event of an ended session's stream; a stream that ends otherwise has none. */
const ENDED = Buffer.from('event: ended\ndata: {}\n\n');
/** Also the first event: a page that has just connected reads everything on its screen. */
const RETRY = Buffer.from('retry: 1000\nevent: resync\ndata: {}\n\n');

export class LiveStream implements BodyStream {
  readonly sizeBytes = null;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly cutOff: Promise<void>;
  readonly #cut: () => void;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  readonly #hints = new WaitingHints();
  #ended = false;
  #isSignedOut = false;
  #wake: (() => void) | null = null;

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
    this.chunks = this.#events();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.cutOff = promise;
    this.#cut = resolve;
  }

  add(hints: EncodedHints): void {
    this.#hints.add(hints);
    this.#wake?.();
  }

  /** In place of all that waits. */
  resync(): void {
    this.#hints.resync();
    this.#wake?.();
  }

  /** The session has ended: the page is told, and gets nothing else. */
  signOut(): void {
    this.#isSignedOut = true;
    this.end();
    this.#cut();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#wake?.();
    this.#onEnd();
  }

  async *#events(): AsyncGenerator<Uint8Array, undefined> {
    yield RETRY;
    while (!this.#ended) {
      if (this.#hints.isEmpty) await this.#pause(HEARTBEAT_MS);
      if (!this.#ended) yield this.#hints.take() ?? HEARTBEAT;
    }
    if (this.#isSignedOut) yield ENDED;
  }

  /** Resolves at the next hint, at the end, or after so many milliseconds. */
  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(ms, resolve);
    this.#wake = () => {
      cancel();
      this.#wake = null;
      resolve();
    };
    return promise;
  }
}
