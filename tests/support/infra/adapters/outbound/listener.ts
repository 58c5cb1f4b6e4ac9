/** A real listener on the loopback range that counts what reaches it. */
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';

export interface Listener {
  readonly port: number;
  connections(): number;
  bodies(): readonly string[];
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1, and on ::1 too where the machine has it, at one port.
 * @param ports tried in their order; 0 is any
 */
export async function listen(
  answer: RequestListener,
  ports: readonly number[] = [0],
): Promise<Listener> {
  for (const port of ports) {
    try {
      return await listenAt(answer, port);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error('every port is taken');
}

async function listenAt(answer: RequestListener, wanted: number): Promise<Listener> {
  let connections = 0;
  const bodies: string[] = [];
  const servers: Server[] = [];
  const start = async (host: string, port: number): Promise<number> => {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      answer(request, response);
    });
    server.on('connection', () => {
      connections += 1;
    });
    server.listen(port, host);
    await once(server, 'listening');
    servers.push(server);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  };
  const close = async () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  };
  const port = await start('127.0.0.1', wanted);
  await start('::1', port).catch(async (error: unknown) => {
    if (ABSENT.has(codeOf(error))) return;
    await close();
    throw error;
  });
  return {
    port,
    connections: () => connections,
    bodies: () => bodies,
    close,
  };
}

/** A machine without IPv6. */
const ABSENT = new Set<unknown>(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}
