/**
 * Ports of an instance.
 *
 * 1. They are chosen below the system's range for outgoing connections. A restarted server must
 *    find its port free. Also, a client that keeps connecting to an unused port of that range may
 *    be connected to itself.
 * 2. One instance has a port until its supervisor ends. Gateways share theirs (SO_REUSEPORT), so
 *    those of two installations that start at one moment would both listen on it, and a caller
 *    would reach now one installation and now the other. The supervisor therefore holds the same
 *    number of UDP, which the system gives to one process, and takes back when that one ends.
 */
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartRefused } from './start/start-refused.ts';

const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 200;

interface HeldPort {
  readonly port: number;
  release(): void;
}

/** A port without a listener, for a program beside the instances: it is not held. */
export async function freePort(host: string): Promise<number> {
  const { port, release } = await holdAny(host);
  release();
  return port;
}

/**
 * The given port, or a free one where none is given; held.
 * @throws {StartRefused} naming the setting whose port is in use
 */
export async function requirePort(
  setting: string,
  port: number | undefined,
  host: string,
): Promise<number> {
  if (port === undefined || port === 0) return (await holdAny(host)).port;
  if (await holdPort(port, host)) return port;
  throw new StartRefused(
    `Port ${port} on ${host} is already in use; stop what listens there or set another ${setting}.`,
  );
}

/**
 * The port that is derived from an owner's name, else a free one; held. So a part has the same
 * address at every start without stored state.
 */
export async function stablePort(owner: string, host: string): Promise<number> {
  const digest = createHash('sha256').update(owner).digest();
  const port = LOWEST + (digest.readUInt32BE() % (HIGHEST - LOWEST));
  return ((await holdPort(port, host)) ?? (await holdAny(host))).port;
}

async function holdAny(host: string): Promise<HeldPort> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const held = await holdPort(port, host);
    if (held) return held;
  }
  throw new StartRefused(`No free port was found on ${host}.`);
}

/**
 * Null where somebody holds the port or listens on it, this process too.
 * @throws {StartRefused} when nobody could listen there
 */
export async function holdPort(port: number, host: string): Promise<HeldPort | null> {
  try {
    const { address, family } = await lookup(host);
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4').unref();
    try {
      socket.bind({ port, address, exclusive: true });
      await once(socket, 'listening');
      await listenOnce(port, address);
    } catch (error) {
      socket.close();
      throw error;
    }
    return { port, release: () => socket.close() };
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'EADDRINUSE') return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(`Cannot listen on ${host}:${port}: ${reason}.`, { cause: error });
  }
}

/** Exclusively: a gateway's own attempt would succeed beside a gateway that runs by itself. */
async function listenOnce(port: number, host: string): Promise<void> {
  const server = createServer().listen({ port, host, exclusive: true });
  await once(server, 'listening');
  server.close();
}
