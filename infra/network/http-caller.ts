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

export interface HttpCaller {
  /** Never rejects: whatever went wrong is in the answer. */
  call(request: HttpCall): Promise<HttpAnswer>;
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
  return {
    call(request) {
      const target = originAndPath(request.url);
      if (target === null) {
        return Promise.resolve({ answered: false, written: false, cause: 'invalid URL' });
      }
      return new Promise((resolve) => {
        const exchange = new Exchange(resolve);
        exchange.cancelTimer = clock.after(request.timeoutMs, () => exchange.expire());
        const options: Dispatcher.DispatchOptions = {
          origin: target.origin,
          path: target.path,
          method: request.method,
          headers: { ...request.headers },
          body: request.body ?? null,
        };
        try {
          agent.dispatch(options, exchange);
        } catch (cause) {
          exchange.fail(describe(cause));
        }
      });
    },
    close: () => agent.destroy(),
  };
}

/** The state of one call: not started → written → answering → settled. */
class Exchange implements Dispatcher.DispatchHandler {
  cancelTimer: () => void = () => undefined;
  #resolve: (answer: HttpAnswer) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #written = false;
  #status = 0;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(resolve: (answer: HttpAnswer) => void) {
    this.#resolve = resolve;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) {
      controller.abort(new Error('expired before it was written'));
      return;
    }
    this.#controller = controller;
    this.#written = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
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
    this.fail(describe(error));
  }

  fail(cause: string): void {
    this.#settle({ answered: false, written: this.#written, cause });
  }

  expire(): void {
    this.fail('timeout');
    this.#controller?.abort(new Error('timeout'));
  }

  #settle(answer: HttpAnswer): void {
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
