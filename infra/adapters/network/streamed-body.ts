/** Streamed request bodies with a file: of known length, read part by part at the socket's pace. */
import type { ReadableFile } from '../../../shared/ports/media.ts';

export interface StreamedBody {
  readonly sizeBytes: number;
  /** From the start, each time. */
  read(): AsyncIterable<Uint8Array>;
}

/** The file between two texts. */
export function wrapFile(before: string, after: string, file: StreamedBody): StreamedBody {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  return {
    sizeBytes: head.length + file.sizeBytes + tail.length,
    async *read() {
      yield head;
      yield* file.read();
      yield tail;
    },
  };
}

/** The file's bytes in base64: whole groups of three, so that the parts join. */
export function base64Of(file: ReadableFile): StreamedBody {
  return {
    sizeBytes: Math.ceil(file.sizeBytes / 3) * 4,
    async *read() {
      let left = Buffer.alloc(0);
      for await (const part of file.read()) {
        const bytes = left.length === 0 ? Buffer.from(part) : Buffer.concat([left, part]);
        const whole = bytes.length - (bytes.length % 3);
        if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
        left = Buffer.from(bytes.subarray(whole));
      }
      if (left.length > 0) yield Buffer.from(left.toString('base64'), 'latin1');
    },
  };
}
