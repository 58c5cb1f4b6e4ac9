/**
 * Ports of an instance. They are taken from below the range that the system uses for outgoing
 * connections: a server that comes back must find its port as it left it, and a client that keeps
 * connecting to a port of that range while nobody listens may end up connected to itself.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { StartRefused } from './start-refused.ts';

const LOWEST = 20_000;
const HIGHEST = 32_000;
const TRIES = 200;

/** A port on which nobody listens now. */
export async function freePort(host: string): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port, host)) return port;
  }
  throw new StartRefused(`No free port was found on ${host}.`);
}

/**
 * The given port, or a free one where none is given.
 * @throws {StartRefused} naming the setting whose port is taken
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
 * The port that an owner's name leads to, else a free one: nothing has to be kept for a part to
 * have the same address at every start. `not` are ports with another use.
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
 * Tries to listen alone: gateways share their port (SO_REUSEPORT), so their own attempt would
 * succeed beside a stranger's.
 */
function isFree(port: number, host: string): Promise<boolean> {
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
