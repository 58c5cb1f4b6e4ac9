/** A server that greedy callers name: files that trickle for minutes, subscribers that hang. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The largest file that a `cloud` number accepts as a document. */
const FILE_BYTES = 100 * 2 ** 20;
const TRICKLE_MS = 100;
const TRICKLE_BYTES = 16 * 1024;

export interface SlowServer {
  readonly port: number;
  /** Downloads that have begun. */
  readonly downloads: () => number;
  close(): void;
}

/** `/file` trickles, every other path accepts the request and never answers. */
export async function startTroublesomeServer(): Promise<SlowServer> {
  let downloads = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.url !== '/file') return;
    downloads++;
    trickle(response);
  });
  await new Promise<void>((resume) => server.listen(0, '127.0.0.1', resume));
  return {
    port: (server.address() as AddressInfo).port,
    downloads: () => downloads,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': FILE_BYTES });
  response.write('%PDF-1.7\n');
  const timer = setInterval(() => response.write(Buffer.alloc(TRICKLE_BYTES)), TRICKLE_MS);
  response.on('close', () => clearInterval(timer));
}
