/**
 * Writes a body of known length as fast as the peer takes it.
 *
 * 1. Nothing is written once the exchange is over. 2. At most one chunk waits in memory.
 */
import type { BodyStream } from './reply.ts';

/** The part of a server's response that is needed here. */
export interface StreamSink {
  /** Takes what fits: `[whether all was taken, whether the answer is complete]`. */
  tryEnd(chunk: Uint8Array, totalSize: number): readonly [boolean, boolean];
  getWriteOffset(): number;
  onWritable(on: (offset: number) => boolean): unknown;
  cork(write: () => void): unknown;
}

/** The peer may go away at any time. */
export interface Ending {
  isOver(): boolean;
  readonly over: Promise<void>;
}

/**
 * Resolves when all is written, or when the exchange is over.
 * @throws what the source throws
 */
export async function writeStream(
  sink: StreamSink,
  { sizeBytes, chunks }: BodyStream,
  { isOver, over }: Ending,
): Promise<void> {
  let base = 0;
  let chunk: Uint8Array = new Uint8Array();
  let taken: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  /** True when the whole chunk was taken. */
  const write = (offset: number): boolean => {
    const rest = chunk.subarray(offset - base);
    const [all, complete] = sink.tryEnd(rest, sizeBytes);
    return all || complete;
  };
  sink.onWritable((offset) => {
    if (isOver()) return true;
    const all = write(offset);
    if (all) taken.resolve();
    return all;
  });
  for await (const next of chunks) {
    if (isOver()) return;
    taken = Promise.withResolvers<void>();
    base = sink.getWriteOffset();
    chunk = next;
    let all = false;
    sink.cork(() => {
      all = write(base);
    });
    if (!all) await Promise.race([taken.promise, over]);
    if (isOver()) return;
  }
}
