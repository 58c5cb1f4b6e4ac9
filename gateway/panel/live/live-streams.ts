/**
 * Open streams of this process.
 *
 * 1. The owner of a session waits until its streams have ended (`shared/ports/live.ts`). It knows
 *    of a stream from the moment that `open` returns.
 * 2. Each stream checks its session again at intervals, since a process may be cut off.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Hint, HintKind, LiveListener } from '../../../shared/ports/live.ts';
import { LiveStream } from './live-stream.ts';

const CHECK_MS = 15_000;
/** Browsers open one stream for all tabs; more of them are of other windows and machines. */
const STREAMS_PER_SESSION = 6;
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
  /** Stops to listen; null before the bus is connected. */
  stop: (() => void) | null;
}

export class LiveStreams {
  readonly #clock: Clock;
  readonly #open = new Set<Open>();
  #listener: LiveListener | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Streams that were opened before the bus was connected are heard from now on. */
  connect(listener: LiveListener): void {
    this.#listener = listener;
    for (const open of this.#open) this.#listen(open);
  }

  /** Null where the session, or the process, has too many of them. */
  open(listening: Listening): LiveStream | null {
    const ofSession = [...this.#open].filter((each) => each.sessionId === listening.sessionId);
    if (ofSession.length >= STREAMS_PER_SESSION || this.#open.size >= STREAMS_MAX) return null;
    const stream = new LiveStream(this.#clock, () => this.#forget(open));
    const open: Open = { ...listening, stream, stop: null };
    this.#open.add(open);
    this.#listen(open);
    this.#checkLater(open);
    return stream;
  }

  /** Ends every stream: pages open a new one elsewhere. */
  close(): void {
    for (const { stream } of this.#open) stream.end();
  }

  #listen(open: Open): void {
    const listener = this.#listener;
    if (!listener) return;
    const onHints = (kind: HintKind, hints: readonly Hint[]): void => take(open, kind, hints);
    const stops = open.subjects.map((subject) => listener.listen(subject, onHints));
    open.stop = () => {
      for (const stop of stops) stop();
    };
  }

  #forget(open: Open): void {
    this.#open.delete(open);
    open.stop?.();
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

/** The end of its session ends a stream; a member need not be told of its own writing. */
function take(open: Open, kind: HintKind, hints: readonly Hint[]): void {
  if (kind === 'session') {
    if (hints.some(({ id }) => id === open.sessionId)) open.stream.signOut();
    return;
  }
  const ofOthers = hints.filter(({ by }) => !by || by.id !== open.memberId);
  if (ofOthers.length > 0) open.stream.add(kind, ofOthers);
}
