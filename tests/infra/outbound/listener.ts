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

/** Listens on 127.0.0.1, and on ::1 too where the machine has it, at one port. */
export async function listen(answer: RequestListener): Promise<Listener> {
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
  const port = await start('127.0.0.1', 0);
  await start('::1', port).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error;
  });
  return {
    port,
    connections: () => connections,
    bodies: () => bodies,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}
