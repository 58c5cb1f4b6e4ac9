/**
 * Writes a body at the peer's pace: of known length, or in chunks (RFC 9112, 7.1).
 *
 * 1. Nothing is written once the exchange is over.
 * 2. At most one chunk waits in memory: the next is read after the socket has accepted it.
 */
import type { Clock } from '../../shared/ports/clock.ts';
import type { BodyStream } from './respond.ts';

/** The part of a server's response that is needed here. */
export interface StreamSink {
  /** Accepts what fits: `[whether all was accepted, whether the answer is complete]`. */
  tryEnd(chunk: Uint8Array, totalSize: number): readonly [boolean, boolean];
  /** Accepts all, as a chunk; false when some of it has to wait for the peer. */
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  getWriteOffset(): number;
  onWritable(on: (offset: number) => boolean): unknown;
  pause(): unknown;
  /** Also begins anew its own time limit for a peer that accepts nothing. */
  resume(): unknown;
  cork(write: () => void): unknown;
}

/** The peer may go away at any time. */
export interface Ending {
  isOver(): boolean;
  readonly over: Promise<void>;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Resolves when all is written, or when the exchange is over.
 * @throws what the source throws
 */
export function writeStream(sink: StreamSink, stream: BodyStream, ending: Ending): Promise<void> {
  const { sizeBytes, chunks } = stream;
  return sizeBytes === null
    ? writeInChunks(sink, stream, ending)
    : writeSized(sink, { sizeBytes, chunks }, ending);
}

/** Each write is small: at most one waits in the server's own buffer. */
const SLICE_BYTES = 64 * 1024;

async function writeInChunks(
  sink: StreamSink,
  { chunks, cutOff, hasOwnTimeout }: BodyStream,
  ending: Ending,
): Promise<void> {
  const { isOver, over } = ending;
  const writable = new WritableGate(over, cutOff);
  sink.onWritable(() => {
    writable.open();
    return true;
  });
  const wait = () => writable.wait();
  const waitUntilWritable = hasOwnTimeout ? () => waitWithoutTimeout(sink, ending, wait) : wait;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      if (isOver()) return;
      writable.close();
      let all = true;
      sink.cork(() => {
        all = sink.write(chunk.subarray(from, from + SLICE_BYTES));
      });
      if (!all) await waitUntilWritable();
    }
    if (isOver()) return;
  }
  if (!isOver()) sink.cork(() => sink.end());
}

/** The server's own limit is some 10 s. */
const RENEW_MS = 4_000;

/** Keeps a connection open whose peer accepts nothing: the stream itself ends the wait. */
async function waitWithoutTimeout(
  sink: StreamSink,
  { clock, isOver }: Ending,
  wait: () => Promise<void>,
): Promise<void> {
  const renew = (): void => {
    if (isOver()) return;
    sink.pause();
    sink.resume();
    cancel = clock.after(RENEW_MS, renew);
  };
  let cancel = clock.after(RENEW_MS, renew);
  await wait().finally(() => cancel());
}

/**
 * Gate of a socket's writes: open while its buffer takes more. Each end of the exchange is listened
 * to once, since a race would add to its promise at every wait.
 */
class WritableGate {
  #isOpen = false;
  #isCut = false;
  #wake: (() => void) | null = null;

  constructor(over: Promise<void>, cutOff: Promise<void> | undefined) {
    void over.then(() => this.open());
    void cutOff?.then(() => {
      this.#isCut = true;
      this.#wake?.();
    });
  }

  open(): void {
    this.#isOpen = true;
    this.#wake?.();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** @throws when the wait is cut off */
  async wait(): Promise<void> {
    if (!this.#isOpen && !this.#isCut) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = null;
    }
    if (!this.#isOpen) throw new Error('the peer reads too slowly for an end of its stream');
  }
}

async function writeSized(
  sink: StreamSink,
  { sizeBytes, chunks }: { readonly sizeBytes: number; readonly chunks: BodyStream['chunks'] },
  { isOver, over }: Ending,
): Promise<void> {
  let base = 0;
  let chunk: Uint8Array = new Uint8Array();
  let drained: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  /** True when the whole chunk was accepted. */
  const write = (offset: number): boolean => {
    const rest = chunk.subarray(offset - base);
    const [all, complete] = sink.tryEnd(rest, sizeBytes);
    return all || complete;
  };
  sink.onWritable((offset) => {
    if (isOver()) return true;
    const all = write(offset);
    if (all) drained.resolve();
    return all;
  });
  for await (const next of chunks) {
    if (isOver()) return;
    drained = Promise.withResolvers<void>();
    base = sink.getWriteOffset();
    chunk = next;
    let all = false;
    sink.cork(() => {
      all = write(base);
    });
    if (!all) await Promise.race([drained.promise, over]);
    if (isOver()) return;
  }
}
