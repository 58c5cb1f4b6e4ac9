/**
 * Which addresses a caller's URL may lead to (I10, D47).
 *
 * 1. Only public unicast addresses are admitted; any address that is not known to be public is
 *    internal.
 * 2. IPv6 must lie in 2000::/3: ipaddr.js calls the IPv4-compatible `::127.0.0.1` unicast. An
 *    IPv4-mapped address is judged as the IPv4 address; NAT64, 6to4 and Teredo are refused.
 * 3. The operator's `host:port` entries are admitted, by name or by address, and only on that port.
 * 4. A name is admitted only if every address that it resolves to is.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

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
export class BlockedAddressError extends Error {
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
