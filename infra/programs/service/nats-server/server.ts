/**
 * The embedded NATS server: a real nats-server on the loopback, core NATS only. It stores nothing
 * (MongoDB does), so all other defaults are right.
 */
import { fileURLToPath } from 'node:url';

/** The set-up's location of the server. */
export const NATS_SERVER_BINARY = fileURLToPath(
  new URL('../../../../.runtime/bin/nats-server', import.meta.url),
);

const CONFIGURATION = fileURLToPath(new URL('server.conf', import.meta.url));
const ADDRESS = '127.0.0.1';
/** The port of a role that is started by itself without NATS_PORT. */
export const NATS_DEFAULT_PORT = 4222;

/** Without the token: every user of the machine sees the arguments of a process. */
export function natsServerArguments(port: number): string[] {
  return ['--addr', ADDRESS, '--port', String(port), '--config', CONFIGURATION];
}

/** The environment of the server. The quotes keep a token of digits from being read as a number. */
export function natsServerEnvironment(token: string): Record<string, string> {
  return { RECADO_NATS_TOKEN: JSON.stringify(token) };
}

/** The address that clients of a server on this port use. */
export function natsServerUrl(port: number, token: string): string {
  return `nats://${encodeURIComponent(token)}@${ADDRESS}:${port}`;
}
