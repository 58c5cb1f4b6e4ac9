/** Bounded reader of an untrusted answer: in bytes and in time, whatever the server sends. */
import type { Readable } from 'node:stream';
import type { Clock } from '../../../shared/ports/clock.ts';

export interface AnswerBounds {
  readonly readMaxBytes: number;
  readonly keptMaxBytes: number;
  readonly withinMs: number;
  readonly clock: Clock;
}

/**
 * Reads a body until its end or a bound, and answers its beginning as UTF-8 text of at most
 * `keptMaxBytes`. Never throws: the response head has already decided the attempt, and what came
 * before a broken connection is kept. A body that was not read to its end costs the connection.
 */
export async function readAnswer(body: Readable, bounds: AnswerBounds): Promise<string> {
  const kept: Uint8Array[] = [];
  let read = 0;
  const ended = Promise.withResolvers<void>();
  body.on('data', (chunk: Uint8Array) => {
    if (read < bounds.keptMaxBytes) kept.push(chunk);
    read += chunk.length;
    if (read >= bounds.readMaxBytes) ended.resolve();
  });
  body
    .once('end', ended.resolve)
    .once('close', ended.resolve)
    .once('error', () => ended.resolve());
  const cancel = bounds.clock.after(bounds.withinMs, ended.resolve);
  await ended.promise;
  cancel();
  // Destroying a body that is not at its end makes it emit an unhandled error.
  body.on('error', () => undefined);
  body.destroy();
  return textOf(Buffer.concat(kept), bounds.keptMaxBytes);
}

/** Cuts between characters; bytes that are not UTF-8 become U+FFFD and count as that. */
function textOf(bytes: Uint8Array, maxBytes: number): string {
  // A byte that is no UTF-8 becomes three: what is this short fits whatever it is.
  if (bytes.length * 3 <= maxBytes) return new TextDecoder().decode(bytes);
  const text = new TextDecoder().decode(bytes.subarray(0, maxBytes), {
    stream: bytes.length > maxBytes,
  });
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/**
 * `Retry-After` in milliseconds from `now`: whole seconds or an HTTP date (RFC 9110, 10.2.3).
 * Undefined when absent or neither.
 */
export function parseRetryAfter(
  value: string | string[] | undefined,
  now: number,
): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2,8}, .+ GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
