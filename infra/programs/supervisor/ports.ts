/**
 * Ports of an instance. They are chosen below the system's range for outgoing connections. A
 * restarted server must find its port free. Also, a client that keeps connecting to an unused port
 * of that range may be connected to itself.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { StartRefused } from './start-refused.ts';

const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 200;

/** A port without a listener. */
export async function freePort(host: string): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port, host)) return port;
  }
  throw new StartRefused(`No free port was found on ${host}.`);
}

/**
 * The given port, or a free one where none is given.
 * @throws {StartRefused} naming the setting whose port is in use
 */
export async function requirePort(
  setting: string,
  port: number | undefined,
  host: string,
): Promise<number> {
  if (port === undefined || port === 0) return await freePort(host);
  if (await isFree(port, host)) return port;
  throw new StartRefused(
    `Port ${port} on ${host} is already in use; stop what listens there or set another ${setting}.`,
  );
}

/**
 * The port that is derived from an owner's name, else a free one. So a part has the same address at
 * every start without stored state. `not` are ports with another use.
 */
export async function stablePort(
  owner: string,
  { host, not }: { readonly host: string; readonly not: readonly number[] },
): Promise<number> {
  const digest = createHash('sha256').update(owner).digest();
  const port = LOWEST + (digest.readUInt32BE() % (HIGHEST - LOWEST));
  return !not.includes(port) && (await isFree(port, host)) ? port : await freePort(host);
}

/**
 * Tries to listen exclusively: gateways share their port (SO_REUSEPORT), so their own attempt would
 * succeed beside another program's.
 */
export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      const code = Reflect.get(error, 'code');
      if (code === 'EADDRINUSE') resolve(false);
      else reject(new StartRefused(`Cannot listen on ${host}:${port}: ${error.message}.`));
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
