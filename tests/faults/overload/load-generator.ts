/**
 * A storm of callers on raw connections: each asks again as soon as it is answered, without any
 * regard for what the answer was. Every ask is kept with what became of it.
 */
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export interface LoadOptions {
  readonly port: number;
  readonly callers: number;
  readonly seconds: number;
  /** The request of a caller's n-th ask, whole. */
  readonly request: (caller: number, n: number) => string;
  /** A refusal of which only the time is kept: there are millions of them. */
  readonly isShed: (answered: Answered) => boolean;
}

export interface Ask extends Answered {
  readonly caller: number;
  readonly n: number;
  readonly ms: number;
}

export interface LoadResult {
  /** All but the shed ones. */
  readonly asks: Ask[];
  readonly shedMs: number[];
}

export async function generateLoad(options: LoadOptions): Promise<LoadResult> {
  const result: LoadResult = { asks: [], shedMs: [] };
  const open = (): Promise<CallerConnection> => CallerConnection.open(options.port);
  // The storm begins when all are there.
  const opened = await Promise.all(Array.from({ length: options.callers }, open));
  const endsAt = performance.now() + options.seconds * 1_000;
  const one = async (
    { request, isShed }: LoadOptions,
    connection: CallerConnection,
    [caller, n]: readonly [number, number],
  ): Promise<void> => {
    const askedAt = performance.now();
    const answered = await connection.ask(request(caller, n));
    const ms = performance.now() - askedAt;
    if (isShed(answered)) result.shedMs.push(ms);
    else result.asks.push({ caller, n, ...answered, ms });
  };
  const callers = opened.map(async (first, caller) => {
    let n = 0;
    for (let next = first; ; next = await open()) {
      using connection = next;
      while (!connection.ended && performance.now() < endsAt)
        await one(options, connection, [caller, n++]);
      if (performance.now() >= endsAt) return;
    }
  });
  await Promise.all(callers);
  return result;
}

export interface Answered {
  /** Null when the connection ended without an answer. */
  readonly status: number | null;
  readonly body: string;
}

const NOTHING: Answered = { status: null, body: '' };

/** One connection, one ask at a time. */
class CallerConnection implements Disposable {
  readonly #socket: Socket;
  #received = '';
  ended = false;
  #wake: ((answered: Answered) => void) | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#read(chunk));
    for (const event of ['error', 'close']) socket.on(event, () => this.#end());
  }

  static async open(port: number): Promise<CallerConnection> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const connection = new CallerConnection(socket);
    socket.once('connect', resolve);
    socket.once('close', resolve);
    await promise;
    return connection;
  }

  ask(request: string): Promise<Answered> {
    if (this.ended) return Promise.resolve(NOTHING);
    const { promise, resolve } = Promise.withResolvers<Answered>();
    this.#wake = resolve;
    this.#socket.write(request);
    return promise;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#received += chunk;
    const head = this.#received.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? 0);
    const start = head + HEAD_END.length;
    if (this.#received.length < start + length) return;
    const body = Buffer.from(this.#received.slice(start), 'latin1').toString('utf8');
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#wake?.({ status, body });
  }

  #end(): void {
    this.ended = true;
    this.#wake?.(NOTHING);
  }
}
