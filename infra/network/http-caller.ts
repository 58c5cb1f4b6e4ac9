/**
 * One HTTP call to a network, with the one fact that a sender cannot do without: whether the
 * request may have left this process when no answer came.
 *
 * 1. `written: false` is a promise: no byte of the request was handed to a socket.
 * 2. A call ends at `timeoutMs` at the latest, waiting for a free connection included.
 * 3. Nothing is ever repeated here.
 *
 * Operators' base URLs are trusted (decisions: Behaviour), so there is no address guard.
 */
import { Agent, type Dispatcher } from 'undici';
import type { Clock } from '../../shared/ports.ts';

const CONNECTIONS_PER_ORIGIN = 128;
const CONNECT_TIMEOUT_MS = 5_000;
const ANSWER_MAX_BYTES = 1024 * 1024;

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  /** Absolute URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly timeoutMs: number;
}

export type HttpAnswer =
  | { readonly answered: true; readonly status: number; readonly body: string }
  | { readonly answered: false; readonly written: boolean; readonly cause: string };

export type HttpBytes =
  | {
      readonly answered: true;
      readonly status: number;
      readonly bytes: Buffer;
      readonly contentType: string | null;
    }
  | Extract<HttpAnswer, { answered: false }>;

export interface HttpCaller {
  /** Never rejects: whatever went wrong is in the answer. */
  call(request: HttpCall): Promise<HttpAnswer>;
  /** The same for an answer that is no text; longer than `maxBytes` is no answer. */
  fetch(request: HttpCall, maxBytes: number): Promise<HttpBytes>;
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
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const exchange = (request: HttpCall, maxBytes: number): Promise<HttpBytes> => {
    const target = originAndPath(request.url);
    if (target === null) {
      return Promise.resolve({ answered: false, written: false, cause: 'invalid URL' });
    }
    return new Promise((resolve) => {
      const under = new Exchange(resolve, maxBytes);
      under.cancelTimer = clock.after(request.timeoutMs, () => under.expire());
      const options: Dispatcher.DispatchOptions = {
        origin: target.origin,
        path: target.path,
        method: request.method,
        headers: { ...request.headers },
        body: request.body ?? null,
      };
      try {
        agent.dispatch(options, under);
      } catch (cause) {
        under.fail(describe(cause));
      }
    });
  };
  return {
    async call(request) {
      const answer = await exchange(request, ANSWER_MAX_BYTES);
      if (!answer.answered) return answer;
      return { answered: true, status: answer.status, body: answer.bytes.toString('utf8') };
    },
    fetch: exchange,
    close: () => agent.destroy(),
  };
}

/** The state of one call: not started → written → answering → settled. */
class Exchange implements Dispatcher.DispatchHandler {
  cancelTimer: () => void = () => undefined;
  readonly #maxBytes: number;
  #resolve: (answer: HttpBytes) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #written = false;
  #status = 0;
  #contentType: string | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(resolve: (answer: HttpBytes) => void, maxBytes: number) {
    this.#resolve = resolve;
    this.#maxBytes = maxBytes;
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
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    const contentType = headers['content-type'];
    this.#contentType = (Array.isArray(contentType) ? contentType[0] : contentType) ?? null;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      controller.abort(new Error('answer too long'));
      return;
    }
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const bytes = Buffer.concat(this.#chunks);
    const contentType = this.#contentType;
    this.#settle({ answered: true, status: this.#status, bytes, contentType });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(describe(error));
  }

  fail(cause: string): void {
    this.#settle({ answered: false, written: this.#written, cause });
  }

  expire(): void {
    this.fail('timeout');
    this.#controller?.abort(new Error('timeout'));
  }

  #settle(answer: HttpBytes): void {
    if (this.#settled) return;
    this.#settled = true;
    this.cancelTimer();
    this.#resolve(answer);
  }
}

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
