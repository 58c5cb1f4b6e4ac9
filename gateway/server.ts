/**
 * HTTP server: the only file that uses uWebSockets.js.
 *
 * 1. Every part of a request is read synchronously: uWS frees it afterwards.
 * 2. After an abort or an answer its response is never used again (uWS would end the process).
 * 3. Several processes may listen on one port: the kernel distributes the connections.
 * 4. A stop closes the listening socket first, then answers the requests in progress with
 *    `Connection: close`.
 */
import * as uws from 'uWebSockets.js';
import {
  App,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js';
import { LOG_EVENT } from '../shared/log-events.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Log } from '../shared/ports/log.ts';
import type { Metrics } from '../shared/ports/metrics.ts';
import type { Incoming, RequestLog } from './gateway.ts';
import { BodyReader } from './http/read-body.ts';
import { type BodyStream, type Reply, respond, respondHead } from './http/respond.ts';
import { writeStream } from './http/write-stream.ts';

/** Requests in progress get this long when the server stops, milliseconds. */
const STOP_MS = 5_000;
/** Undocumented: no `uWebSockets` header on answers, which would reveal the server's software. */
const configure: unknown = Reflect.get(uws, '_cfg');
if (typeof configure === 'function') configure('silent');

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Service of one process: its stages of a request, and the ports that the server needs. */
export interface Served {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'request'>;
  readonly freshId: (prefix: string) => string;
  /** The reply, or null when the peer has gone; never rejects. */
  readonly serve: (incoming: Incoming, requestLog: RequestLog) => Promise<Reply | null>;
}

export interface Server {
  /** The port really listened on, also when 0 was asked for. */
  readonly port: number;
  /** Resolves when every request in progress is answered, after `STOP_MS` at most. */
  stop(): Promise<void>;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The name of the setting that gives the port. */
  readonly setting: string;
}

interface Exchange {
  readonly res: HttpResponse;
  readonly incoming: Incoming;
  readonly requestLog: RequestLog;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Answered or aborted: `res` is dead. */
  over: boolean;
  /** Wakes the writer that waits until the peer reads more. */
  readonly gone: PromiseWithResolvers<void>;
}

class UwsServer implements Server {
  readonly port: number;
  readonly #app: TemplatedApp;
  readonly #served: Served;
  readonly #listening: us_listen_socket;
  #open = 0;
  #stopping = false;
  #drained: (() => void) | null = null;

  constructor(served: Served, address: ListenAddress) {
    this.#served = served;
    this.#app = App().any('/*', (res, req) => this.#receive(res, req));
    let listening: us_listen_socket | false = false;
    this.#app.listen(address.host, address.port, (socket) => {
      listening = socket;
    });
    if (!listening) throw new Error(cannotListen(address));
    this.#listening = listening;
    this.port = us_socket_local_port(listening);
  }

  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    us_listen_socket_close(this.#listening);
    if (this.#open > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#drained = resolve;
      const cancel = this.#served.clock.after(STOP_MS, resolve);
      await promise;
      cancel();
    }
    this.#app.close();
  }

  #receive(res: HttpResponse, req: HttpRequest): void {
    let reader: BodyReader | null = null;
    const incoming = readRequest(res, req, {
      requestId: this.#requestId(req),
      body: (maxBytes, budget) => {
        const started = new BodyReader(maxBytes, budget);
        res.onData((chunk, last) => started.push(chunk, last));
        reader = started;
        return started;
      },
      close: () => {
        if (!exchange.over) res.close();
      },
      async whilePaused(work) {
        if (!exchange.over) res.pause();
        try {
          return await work();
        } finally {
          if (!exchange.over) res.resume();
        }
      },
    });
    const startedAt = this.#served.clock.monotonic();
    const gone = Promise.withResolvers<void>();
    const exchange: Exchange = { res, incoming, requestLog: {}, startedAt, over: false, gone };
    this.#open += 1;
    res.onAborted(() => {
      const answered = exchange.over;
      exchange.over = true;
      gone.resolve();
      reader?.abort();
      if (!answered) this.#finish(exchange, 0);
    });
    void this.#served.serve(incoming, exchange.requestLog).then((reply) => {
      // A refused sender may send more, which would stay in memory.
      reader?.abort();
      this.#answer(exchange, reply);
    });
  }

  #requestId(req: HttpRequest): string {
    const given = req.getHeader('x-request-id');
    return SANE_REQUEST_ID.test(given) ? given : this.#served.freshId('req');
  }

  #answer(exchange: Exchange, reply: Reply | null): void {
    if (exchange.over) {
      reply?.stream?.end();
      return;
    }
    if (!reply) {
      exchange.res.close();
      return;
    }
    const { requestId, method } = exchange.incoming;
    const withoutBody = method === 'HEAD';
    if (reply.stream && !withoutBody) {
      void this.#stream(exchange, reply, reply.stream);
      return;
    }
    reply.stream?.end();
    exchange.over = true;
    const frame = { requestId, withoutBody, closeConnection: this.#stopping };
    exchange.res.cork(() => respond(exchange.res, reply, frame));
    this.#finish(exchange, reply.status);
  }

  /** The status is already sent when a body breaks off, so the connection is cut. */
  async #stream(exchange: Exchange, reply: Reply, stream: BodyStream): Promise<void> {
    const { res } = exchange;
    const { requestId } = exchange.incoming;
    const frame = { requestId, closeConnection: this.#stopping };
    res.cork(() => respondHead(res, reply, frame));
    // A source that waits for something to happen must not outlive its peer.
    void exchange.gone.promise.then(() => stream.end());
    try {
      await writeStream(res, stream, {
        isOver: () => exchange.over,
        over: exchange.gone.promise,
        clock: this.#served.clock,
      });
      if (exchange.over) return;
      exchange.over = true;
      this.#finish(exchange, reply.status);
    } catch (cause) {
      this.#served.log.warn({ cause, requestId }, 'a body broke off');
      if (!exchange.over) res.close();
    } finally {
      stream.end();
    }
  }

  /** @param status 0 when the peer went away before the answer */
  #finish(exchange: Exchange, status: number): void {
    const { incoming, requestLog } = exchange;
    const ms = Math.round((this.#served.clock.monotonic() - exchange.startedAt) * 10) / 10;
    const { method, requestId } = incoming;
    const { operationId = '', toolStatus = status } = requestLog;
    this.#served.metrics?.request(operationId, status === 0 ? 0 : toolStatus, ms);
    this.#served.log.info({ method, ...requestLog, status, ms, requestId }, LOG_EVENT.request);
    this.#open -= 1;
    if (this.#open === 0) this.#drained?.();
  }
}

function cannotListen({ host, port, setting }: ListenAddress): string {
  return `cannot listen on ${host}:${port}: stop what listens there, or set another ${setting} or HOST`;
}

function readRequest(
  res: HttpResponse,
  req: HttpRequest,
  own: Pick<Incoming, 'requestId' | 'body' | 'close' | 'whilePaused'>,
): Incoming {
  return {
    ...own,
    method: req.getCaseSensitiveMethod(),
    path: req.getUrl(),
    // Undefined without a question mark, whatever its type says.
    query: req.getQuery() ?? '',
    authorization: req.getHeader('authorization'),
    apiKey: req.getHeader('x-api-key'),
    headers() {
      const headers: Record<string, string> = {};
      req.forEach((name, value) => {
        headers[name] = value;
      });
      return headers;
    },
    remoteAddress: () => Buffer.from(res.getRemoteAddressAsText()).toString('latin1'),
  };
}

/**
 * Listens at once.
 * @throws when the address cannot be had
 */
export function startServer(served: Served, address: ListenAddress): Server {
  return new UwsServer(served, address);
}
