/** A listener on every address of this machine: whatever connects here has gone inwards. */
import { createServer } from 'node:http';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { classifyAddress } from '../../../infra/adapters/outbound/address-guard.ts';
import { opened } from './server.ts';

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
  const create = () =>
    createServer(async (request, response) => {
      bodies.push(await text(request));
      response.end('{}');
    }).on('connection', ({ localAddress = '' }) => void connected.push(localAddress));
  // A machine may have IPv4 only.
  const dual = await opened(create(), { host: '::' }).catch(() => null);
  const { port, close } = dual ?? (await opened(create(), { host: '0.0.0.0' }));
  return { port, hosts: hostsOf(dual ? ['IPv4', 'IPv6'] : ['IPv4']), connected, bodies, close };
}
