/**
 * HTTP client for calls to a network. Its answer also reports whether the request may have left
 * this process when no answer came.
 *
 * 1. `written: false` is a promise: the request was not passed to a socket, or not to its end
 *    because its own body failed.
 * 2. A call ends at `timeoutMs` at the latest, waiting for a free connection included.
 * 3. No call is repeated here.
 * 4. A request body with a file is read at the socket's pace, an answer with a file at its reader's
 *    pace.
 * 5. A download has one deadline for its head and its whole body; a body that is too late or too
 *    long rejects. A body that is discarded, or read to its end, holds no connection and no timer.
 *
 * Operators' base URLs are trusted (D47), so there is no address guard.
 */

import { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { ANSWER_HEAD_MAX_BYTES } from '../../../shared/limits.ts';
import { type NetworkFault, networkFault } from '../../../shared/network-fault.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { readNetworkFailure } from '../outbound/network-failure.ts';
import { NetworkClocks } from './network-clocks.ts';
import type { StreamedBody } from './streamed-body.ts';

/** Null for a text that is no http or https URL. */
function originAndPath(url: string): { origin: string; path: string } | null {
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return null;
  return { origin: parsed.origin, path: parsed.pathname + parsed.search };
}

/** The system's code and the sentence; neither holds a token, a phone or a body. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message}`;
}

/** The kind of a failure without an answer. */
function faultOf(error: unknown): NetworkFault {
  const { kind } = readNetworkFailure(error);
  return networkFault(kind === 'blocked_address' ? 'network' : kind);
}

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
async function downloadFile(
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

const CONNECTIONS_PER_ORIGIN = 128;
const CONNECT_TIMEOUT_MS = 5_000;
/** A longer answer counts as none. */
const ANSWER_MAX_BYTES = 1024 * 1024;

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Absolute URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | StreamedBody;
  readonly timeoutMs: number;
}

export type HttpAnswer =
  | { readonly answered: true; readonly status: number; readonly body: string }
  | (Unanswered & { readonly answered: false; readonly written: boolean });

interface Unanswered {
  /** For the log. */
  readonly cause: string;
  readonly fault: NetworkFault;
}

export interface HttpCaller {
  /** Never rejects: any failure is in the answer. */
  call(request: HttpCall): Promise<HttpAnswer>;
  /** The same for an answer that is a file of at most `maxBytes`. */
  download(request: DownloadCall, maxBytes: number): Promise<HttpDownload>;
  /** How far the clock behind a URL was behind ours, by its last answer to `call`; null: unknown. */
  behindMs(url: string): number | null;
  close(): Promise<void>;
}

/**
 * A keep-alive pool per origin; one of these serves every channel of the process.
 * @param connections the most at once to one origin; further calls wait within their time-out
 */
export function createHttpCaller(
  clock: Clock,
  connections: number = CONNECTIONS_PER_ORIGIN,
): HttpCaller {
  const agent = new Agent({
    allowH2: false,
    connections,
    pipelining: 1,
    maxHeaderSize: ANSWER_HEAD_MAX_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const clocks = new NetworkClocks(clock);
  const exchange = (request: HttpCall): Promise<HttpAnswer> => {
    const target = originAndPath(request.url);
    if (target === null) {
      const fault = networkFault('network');
      return Promise.resolve({ answered: false, written: false, cause: 'invalid URL', fault });
    }
    return new Promise((resolve) => {
      const handler = new Exchange(resolve, (date) => clocks.note(target.origin, date));
      handler.cancelTimer = clock.after(request.timeoutMs, () => handler.expire());
      const options: Dispatcher.DispatchOptions = {
        origin: target.origin,
        path: target.path,
        method: request.method,
        ...contentOf(request, () => handler.failBody()),
      };
      try {
        agent.dispatch(options, handler);
      } catch (cause) {
        handler.fail({ cause: describe(cause), fault: faultOf(cause) });
      }
    });
  };
  return {
    call: exchange,
    download: (request, maxBytes) => downloadFile({ agent, clock }, request, maxBytes),
    behindMs: (url) => clocks.behindMs(originAndPath(url)?.origin ?? ''),
    close: () => agent.destroy(),
  };
}

type Header = string | string[] | undefined;

/** The state of one call: not started → written → answering → ended. */
class Exchange implements Dispatcher.DispatchHandler {
  cancelTimer: () => void = () => undefined;
  #resolve: (answer: HttpAnswer) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #written = false;
  #status = 0;
  #chunks: Buffer[] = [];
  #bytes = 0;

  readonly #onDate: (date: Header) => void;

  constructor(resolve: (answer: HttpAnswer) => void, onDate: (date: Header) => void) {
    this.#resolve = resolve;
    this.#onDate = onDate;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) {
      controller.abort(new Error('expired before it was written'));
      return;
    }
    this.#controller = controller;
    this.#written = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, Header>>,
  ): void {
    this.#status = status;
    this.#onDate(headers.date);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > ANSWER_MAX_BYTES) {
      controller.abort(new Error('answer too long'));
      return;
    }
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8');
    this.#settle({ answered: true, status: this.#status, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail({ cause: describe(error), fault: faultOf(error) });
  }

  fail(why: Unanswered): void {
    this.#settle({ answered: false, written: this.#written, ...why });
  }

  /** The network never saw the request's end. */
  failBody(): void {
    this.#written = false;
  }

  expire(): void {
    this.fail({ cause: 'timeout', fault: networkFault('timeout') });
    this.#controller?.abort(new Error('timeout'));
  }

  #settle(answer: HttpAnswer): void {
    if (this.#settled) return;
    this.#settled = true;
    this.cancelTimer();
    this.#resolve(answer);
  }
}

function contentOf(
  { headers, body }: HttpCall,
  onFailure: () => void,
): Pick<Dispatcher.DispatchOptions, 'headers' | 'body'> {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
    return { headers: { ...headers }, body: body ?? null };
  }
  const parts = Readable.from(watched(body.read(), onFailure), { objectMode: false });
  return { headers: { ...headers, 'content-length': String(body.sizeBytes) }, body: parts };
}

async function* watched(
  parts: AsyncIterable<Uint8Array>,
  onFailure: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* parts;
  } catch (cause) {
    onFailure();
    throw cause;
  }
}
