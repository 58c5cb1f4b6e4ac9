/** A listener on every address of this machine: whatever connects here has gone inwards. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { classifyAddress } from '../../../../../infra/adapters/outbound/address-guard.ts';

export interface Everywhere {
  readonly port: number;
  /** By which it is reached: all of the machine's own but public ones, as a URL spells them. */
  readonly hosts: readonly string[];
  /** The addresses at which a connection arrived, with each request's body. */
  readonly connected: readonly string[];
  readonly bodies: readonly string[];
  close(): Promise<void>;
}

function hostsOf(families: readonly string[]): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = all
    // An address with a zone cannot be spelled in a URL.
    .filter(({ address, family }) => families.includes(family) && !address.startsWith('fe80:'))
    .filter(({ address }) => classifyAddress(address) !== 'public')
    .map(({ address }) => (isIPv6(address) ? `[${address}]` : address));
  const any = families.includes('IPv6') ? ['0.0.0.0', '[::]'] : ['0.0.0.0'];
  return [...own, ...any, '127.0.0.2'];
}

/** One socket takes both families, so every address leads to it by the same port. */
export async function listenEverywhere(): Promise<Everywhere> {
  const connected: string[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.end('{}');
  });
  server.on('connection', (socket) => connected.push(socket.localAddress ?? ''));
  const families = await listenOn(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    hosts: hostsOf(families),
    connected,
    bodies,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The families it listens on: a machine may have IPv4 only. */
async function listenOn(server: Server): Promise<readonly string[]> {
  try {
    server.listen(0, '::');
    await once(server, 'listening');
    return ['IPv4', 'IPv6'];
  } catch {
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    return ['IPv4'];
  }
}
