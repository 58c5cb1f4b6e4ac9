/**
 * Open streams of this process.
 *
 * 1. The owner of a session waits until its streams have ended (`shared/ports/live.ts`). It knows
 *    of a stream from the moment that `open` returns.
 * 2. Each stream checks its session again at intervals, since a process may be cut off.
 * 3. A process that was cut off has missed hints: its pages read everything again.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Hint, HintKind, LiveListener } from '../../../shared/ports/live.ts';
import { type Batch, LiveFeed } from './live-feed.ts';
import { LiveStream } from './live-stream.ts';

const CHECK_MS = 15_000;
/** Browsers open one stream for all tabs; more of them are of other windows and machines. */
const STREAMS_PER_SESSION = 6;
/** Of the process. A stream beyond either number is refused with 429. */
const STREAMS_MAX = 5_000;

export interface Listening {
  /** Organizations to hear; the operator's own sessions are told under the name `operator`. */
  readonly subjects: readonly string[];
  readonly sessionId: string;
  /** Null for the operator. */
  readonly memberId: string | null;
  /** False once the session has ended. */
  readonly isStillOpen: () => Promise<boolean>;
}

interface Open extends Listening {
  readonly stream: LiveStream;
}

/** An organization that somebody listens to. */
interface Heard {
  readonly feed: LiveFeed;
  readonly by: Set<Open>;
  /** Stops to listen; null before the bus is connected. */
  stop: (() => void) | null;
}

export class LiveStreams {
  readonly #clock: Clock;
  readonly #open = new Set<Open>();
  /** By organization: removed with the last stream that listens to it. */
  readonly #heard = new Map<string, Heard>();
  #listener: LiveListener | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Streams that were opened before the bus was connected are heard from now on. */
  connect(listener: LiveListener): void {
    this.#listener = listener;
    listener.onGap(() => this.#resync());
    for (const [subject, heard] of this.#heard) this.#connect(subject, heard);
  }

  /** Null where the session, or the process, has too many of them. */
  open(listening: Listening): LiveStream | null {
    const ofSession = [...this.#open].filter((each) => each.sessionId === listening.sessionId);
    if (ofSession.length >= STREAMS_PER_SESSION || this.#open.size >= STREAMS_MAX) return null;
    const stream = new LiveStream(this.#clock, () => this.#forget(open));
    const open: Open = { ...listening, stream };
    this.#open.add(open);
    for (const subject of open.subjects) this.#listen(subject, open);
    this.#checkLater(open);
    return stream;
  }

  /** Ends every stream: pages open a new one elsewhere. */
  close(): void {
    for (const { stream } of this.#open) stream.end();
  }

  #resync(): void {
    for (const { stream } of this.#open) stream.resync();
  }

  #listen(subject: string, open: Open): void {
    const known = this.#heard.get(subject);
    if (known) {
      known.by.add(open);
      return;
    }
    const by = new Set([open]);
    const feed = new LiveFeed(this.#clock, (batch) => tell(by, batch));
    const heard: Heard = { feed, by, stop: null };
    this.#heard.set(subject, heard);
    this.#connect(subject, heard);
  }

  #connect(subject: string, heard: Heard): void {
    const stop = this.#listener?.listen(subject, (kind, hints) => take(heard, kind, hints));
    if (stop) heard.stop = stop;
  }

  #forget(open: Open): void {
    this.#open.delete(open);
    for (const subject of open.subjects) {
      const heard = this.#heard.get(subject);
      heard?.by.delete(open);
      if (!heard || heard.by.size > 0) continue;
      this.#heard.delete(subject);
      heard.stop?.();
      heard.feed.end();
    }
  }

  #checkLater(open: Open): void {
    this.#clock.after(CHECK_MS, () => void this.#check(open));
  }

  /** A check without an answer says nothing: the next one asks again. */
  async #check(open: Open): Promise<void> {
    if (!this.#open.has(open)) return;
    const isOpen = await open.isStillOpen().catch(() => true);
    if (isOpen) this.#checkLater(open);
    else open.stream.signOut();
  }
}

/** The end of its session ends a stream at once. */
function take({ feed, by }: Heard, kind: HintKind, hints: readonly Hint[]): void {
  if (kind !== 'session') return feed.add(kind, hints);
  const ended = new Set(hints.map(({ id }) => id));
  for (const { sessionId, stream } of [...by]) if (ended.has(sessionId)) stream.signOut();
}

function tell(to: ReadonlySet<Open>, batch: Batch | 'too many'): void {
  for (const { stream, memberId } of to) {
    if (batch === 'too many') {
      stream.resync();
      continue;
    }
    if (batch.hints) stream.add(batch.hints);
    for (const typing of batch.typing) if (typing.memberId !== memberId) stream.add(typing);
  }
}
