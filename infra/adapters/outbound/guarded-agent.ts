/**
 * The only network path for callers' URLs: an undici dispatcher that checks every address with the
 * address guard before a packet leaves (I10). Event deliveries and media downloads use one each,
 * with their own guard.
 *
 * 1. Node.js never calls `lookup` for an IP literal, so literals are checked before connecting.
 * 2. Every address of a name is checked, in the very look-up that the connection uses: there is no
 *    second resolution to rebind.
 * 3. The address of the established connection is checked once more before a request is written.
 * 4. HTTP/1.1 only, and redirects are the caller's to follow, one checked URL at a time.
 */
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Agent, buildConnector, Pool } from 'undici';
import type { AddressGuard, Target } from './address-guard.ts';
import { BlockedAddressError, bareHost, targetOf } from './address-guard.ts';
import type { Resolve } from './resolver.ts';

export interface AgentOptions {
  readonly guard: AddressGuard;
  readonly resolve: Resolve;
  /** Longest time of a connection's setup, TLS included. */
  readonly connectTimeoutMs: number;
}

/**
 * Below the 5 s after which a Node.js server drops an idle connection, so that a POST rarely meets
 * one that is just being closed.
 */
const IDLE_SOCKET_MS = 4_000;

export function createGuardedAgent(options: AgentOptions): Agent {
  return new Agent({
    allowH2: false,
    keepAliveTimeout: IDLE_SOCKET_MS,
    keepAliveMaxTimeout: IDLE_SOCKET_MS,
    // One connector per origin: a look-up gets the host only, the guard needs the port too.
    factory: (origin, poolOptions) =>
      new Pool(origin, { ...poolOptions, connect: guardedConnector(new URL(origin), options) }),
  });
}

function guardedConnector(origin: URL, options: AgentOptions): buildConnector.connector {
  const { guard } = options;
  const target = targetOf(origin);
  const connect = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs,
    lookup: guardedLookup(target, options),
  });
  return (asked, callback) => {
    const host = bareHost(asked.hostname);
    if (isIP(host) !== 0 && !guard.admits(host, target)) {
      callback(blocked(host, target), null);
      return;
    }
    connect(asked, (...[failed, socket]) => {
      if (failed !== null) {
        callback(failed, null);
      } else if (guard.admits(socket.remoteAddress ?? '', target)) {
        callback(null, socket);
      } else {
        socket.destroy();
        callback(blocked(socket.remoteAddress ?? 'an unknown address', target), null);
      }
    });
  };
}

function guardedLookup(target: Target, { guard, resolve }: AgentOptions): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host).then(
      (found) => {
        const bad = found.find(({ address }) => !guard.admits(address, target));
        const [first] = found;
        if (bad !== undefined) callback(blocked(bad.address, target), '', 0);
        else if (first === undefined) callback(new Error(`no address for ${host}`), '', 0);
        else if (all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(asError(error), '', 0),
    );
  };
}

function blocked(address: string, { host, port }: Target): BlockedAddressError {
  const of = address === host ? '' : ` (${host})`;
  return new BlockedAddressError(`${address}${of} port ${port} is not a public address`);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
