/**
 * Download of one file from a network, streamed at its reader's pace.
 *
 * 1. One deadline for the head and the whole body; a body that is too late or too long rejects.
 * 2. A body that is discarded, or read to its end, holds no connection and no timer.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../../shared/ports/clock.ts';
import { describe, originAndPath } from './http-failure.ts';

export type HttpDownload =
  | {
      readonly answered: true;
      readonly status: number;
      readonly contentType: string | null;
      readonly body: AsyncIterable<Uint8Array>;
      /** Ends it; harmless when it has ended. */
      readonly discard: () => void;
    }
  | { readonly answered: false; readonly cause: string };

export interface DownloadCall {
  /** Absolute URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the head and the whole body. */
  readonly timeoutMs: number;
}

interface DownloadContext {
  readonly agent: Dispatcher;
  readonly clock: Clock;
}

/** Never rejects: any failure before the body is in the answer. */
export async function downloadFile(
  { agent, clock }: DownloadContext,
  { url, headers, timeoutMs }: DownloadCall,
  maxBytes: number,
): Promise<HttpDownload> {
  const target = originAndPath(url);
  if (target === null) return { answered: false, cause: 'invalid URL' };
  const controller = new AbortController();
  const { signal } = controller;
  const cancel = clock.after(timeoutMs, () => controller.abort(new Error('timeout')));
  try {
    const options = { ...target, method: 'GET', headers: { ...headers }, signal } as const;
    const answer = await agent.request(options);
    const contentType = answer.headers['content-type'];
    const discard = (): void => {
      cancel();
      // Destroying a body that is not at its end makes it emit an unhandled error.
      answer.body.on('error', () => undefined);
      answer.body.destroy();
    };
    return {
      answered: true,
      status: answer.statusCode,
      contentType: (Array.isArray(contentType) ? contentType[0] : contentType) ?? null,
      body: bounded(answer.body, { maxBytes, discard }),
      discard,
    };
  } catch (cause) {
    cancel();
    return { answered: false, cause: describe(cause) };
  }
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, discard }: { readonly maxBytes: number; readonly discard: () => void },
): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const part of body) {
      read += part.length;
      if (read > maxBytes) throw new Error('answer too long');
      yield part;
    }
  } finally {
    discard();
  }
}
