/**
 * The embedded NATS server: a real nats-server on the loopback, core NATS only. It keeps nothing
 * (NATS carries, MongoDB remembers), so the defaults for everything else are right.
 */
import { fileURLToPath } from 'node:url';

/** Where the set-up puts the server. */
export const NATS_SERVER_BINARY = fileURLToPath(
  new URL('../../.runtime/bin/nats-server', import.meta.url),
);

const ADDRESS = '127.0.0.1';
/** What a role that is started by itself uses when NATS_PORT is not set. */
export const NATS_DEFAULT_PORT = 4222;

export function natsServerArguments(port: number): string[] {
  return ['--addr', ADDRESS, '--port', String(port)];
}

/** The address that clients of a server on this port use. */
export function natsServerUrl(port: number): string {
  return `nats://${ADDRESS}:${port}`;
}
