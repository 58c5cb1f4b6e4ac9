/**
 * Which addresses a caller's URL may lead to (I10, D47).
 *
 * 1. Only public unicast addresses are admitted; any address that is not known to be public is
 *    internal.
 * 2. IPv6 must lie in 2000::/3: ipaddr.js calls the IPv4-compatible `::127.0.0.1` unicast. An
 *    IPv4-mapped address is judged as the IPv4 address; NAT64, 6to4 and Teredo are refused.
 * 3. The operator's `host:port` entries are admitted, by name or by address, and only on that port.
 * 4. A name is admitted only if every address that it resolves to is.
 *
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
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, Pool } from 'undici';
import { ANSWER_HEAD_MAX_BYTES } from '../../../shared/limits.ts';
import type { Resolve } from './resolver.ts';

export type AddressClass = 'public' | 'loopback' | 'internal';

/** Where a connection goes: `host` is a name or an address without brackets. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface AddressGuard {
  /** Whether the operator's list names this host and port, whatever it resolves to. */
  trusts(target: Target): boolean;
  /** Whether a connection for `target` may go to `address`. */
  admits(address: string, target: Target): boolean;
}

export interface GuardOptions {
  /** `host:port` entries (PRIVATE_NETWORK_ALLOW); IPv6 in brackets. */
  readonly allow: readonly string[];
  /** Accepts the loopback range on any port (EVENTS_TO_LOOPBACK); for event deliveries only. */
  readonly loopback: boolean;
}

/** Thrown inside a connection attempt; the outcome's kind is derived from its `code`. */
class BlockedAddressError extends Error {
  readonly code = 'RECADO_BLOCKED_ADDRESS';
}

/** Azure's platform endpoint, metadata among it, sits on an address that is public by range. */
const INTERNAL_THOUGH_PUBLIC = new Set(['168.63.129.16']);
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Judges one address as the resolver or the socket writes it; anything unreadable is internal. */
export function classifyAddress(address: string): AddressClass {
  const parsed = parseAddress(address);
  if (parsed === null) return 'internal';
  const range = parsed.range();
  if (range === 'loopback') return 'loopback';
  if (range !== 'unicast' || INTERNAL_THOUGH_PUBLIC.has(parsed.toString())) return 'internal';
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST_V6)) return 'internal';
  return 'public';
}

/** Throws on an `allow` entry that is not `host:port`, naming it. */
export function createAddressGuard({ allow, loopback }: GuardOptions): AddressGuard {
  const trusted = new Set(allow.map(parseEntry));
  const trusts = ({ host, port }: Target): boolean => trusted.has(entryOf(host, port));
  return {
    trusts,
    admits: (address, target) => {
      const found = classifyAddress(address);
      if (found === 'public' || (found === 'loopback' && loopback)) return true;
      return trusts(target) || trusts({ host: address, port: target.port });
    },
  };
}

/** The host and port that a URL leads to. */
export function targetOf(url: URL): Target {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { host: bareHost(url.hostname), port };
}

/** Without the brackets of an IPv6 literal, which resolvers and parsers do not know. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * Null for what is no address. IPv6 goes through the URL parser first: ipaddr.js reads the dotted
 * IPv4-compatible `::8.8.8.8` as the IPv4-mapped `::ffff:8.8.8.8`, which the kernel does not.
 */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const family = isIP(address);
  if (family === 4) return ipaddr.IPv4.parse(address);
  const url = `http://[${address}]/`;
  return family === 6 && URL.canParse(url) ? ipaddr.process(bareHost(new URL(url).hostname)) : null;
}

function parseEntry(entry: string): string {
  const match = /^([^/?#@\\\s]+):(\d{1,5})$/.exec(entry.trim());
  const host = match?.[1];
  const port = Number(match?.[2]);
  if (host === undefined || !(port <= 65_535) || !URL.canParse(`http://${host}/`)) {
    throw new Error(`PRIVATE_NETWORK_ALLOW takes host:port entries, not "${entry}"`);
  }
  return entryOf(bareHost(new URL(`http://${host}/`).hostname), port);
}

/** One spelling for each host: lower case, no trailing dot, canonical IPv6, IPv4-mapped as IPv4. */
function entryOf(host: string, port: number): string {
  const name = host.toLowerCase().replace(/\.$/, '');
  return `${parseAddress(name)?.toString() ?? name} ${port}`;
}

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
    maxHeaderSize: ANSWER_HEAD_MAX_BYTES,
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
