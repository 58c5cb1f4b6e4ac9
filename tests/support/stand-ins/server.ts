/** Servers of a test: any that listens, and an HTTP server that records what comes. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Opened extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly port: number;
  /** Cuts what is open. */
  close(): Promise<void>;
}

interface Place {
  /** Any that is free unless given. */
  readonly port?: number;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
}

/** @throws {Error} where the place is taken */
export async function opened(
  server: Server,
  { port: wanted = 0, host = '127.0.0.1' }: Place = {},
): Promise<Opened> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(wanted, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { url: `http://127.0.0.1:${port}`, port, close, [Symbol.asyncDispose]: close };
}

export function serve(answer?: RequestListener, place?: Place): Promise<Opened> {
  return opened(createServer(answer), place);
}

/** Connections are taken, and held without a word unless `take` does otherwise. */
export function serveTcp(take?: (socket: Socket) => void, place?: Place): Promise<Opened> {
  return opened(createTcpServer(take), place);
}

export interface Arrived {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A status, a whole answer, or none: `hang` for ever, `cut` the connection. */
export type Reply =
  | number
  | 'hang'
  | 'cut'
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    };

export interface Recording extends Opened {
  /** Whole requests, in the order in which they came. */
  readonly arrived: readonly Arrived[];
}

/** Records each whole request before it is answered. One that is cut off has not come. */
export async function record(
  reply: (arrived: Arrived) => Reply | Promise<Reply>,
  place?: Place,
): Promise<Recording> {
  const arrived: Arrived[] = [];
  const answer: RequestListener = async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const bytes = await buffer(request).catch(() => null);
    if (bytes === null) return;
    const each = { method, path, headers, bytes };
    arrived.push(each);
    respond(response, await reply(each));
  };
  return { ...(await serve(answer, place)), arrived };
}

export function respond(response: ServerResponse, reply: Reply): void {
  if (reply === 'hang') return;
  if (reply === 'cut') return void response.destroy();
  const { status = 200, headers = {}, body = '' } = isStatus(reply) ? { status: reply } : reply;
  response.writeHead(status, headers).end(body);
}

function isStatus(reply: Exclude<Reply, string>): reply is number {
  return typeof reply === 'number';
}

export function json(body: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
