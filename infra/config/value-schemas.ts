/** How the text of one environment variable becomes a value: one valibot schema per shape. */
import ipaddr from 'ipaddr.js';
import * as v from 'valibot';
import { natsAccess } from '../adapters/nats/access.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DURATION_MAX_MS = 30 * 24 * 3_600_000;
/** The first attempt and six more (C6.3). */
const RETRIES = 6;

export function integerBetween(low: number, high: number) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,12}$/),
    v.transform(Number),
    v.integer(),
    v.minValue(low),
    v.maxValue(high),
  );
}

export const booleanSetting = v.pipe(
  v.picklist(['true', 'false', '1', '0']),
  v.transform((text) => text === 'true' || text === '1'),
);

/** A URL of one of the given schemes (`mongodb:`), kept as it was written. */
export function urlOf(...schemes: readonly string[]) {
  return v.pipe(
    v.string(),
    v.check((text) => schemes.some((scheme) => text.startsWith(`${scheme}//`))),
    v.check((text) => text.length > text.indexOf('//') + 2),
  );
}

/** One or more URLs of a scheme, comma-separated, with one set of credentials between them. */
export const natsUrls = v.pipe(
  v.string(),
  v.check((text) => text.split(',').every((url) => /^(nats|tls|wss?):\/\/\S+$/.test(url.trim()))),
  v.check(hasReadableCredentials),
);

function hasReadableCredentials(text: string): boolean {
  try {
    return natsAccess(text).servers.every((server) => /:\/\/[^/]/.test(server));
  } catch (error) {
    if (error instanceof TypeError || error instanceof URIError) return false;
    throw error;
  }
}

export const httpUrl = v.pipe(
  v.string(),
  v.url(),
  v.regex(/^https?:\/\//),
  v.transform((text) => text.replace(/\/+$/, '')),
);

/** A browser sends it as `Origin`: without a path, in the spelling of browsers. */
export const httpOrigin = v.pipe(
  httpUrl,
  v.check((text) => ['', '/'].includes(new URL(text).pathname)),
  v.transform((text) => new URL(text).origin),
);

/** Networks in CIDR notation, comma-separated; a single address is a network of its own. */
export const networks = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
  v.array(v.pipe(v.string(), v.check(isNetwork))),
);

function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text) || ipaddr.isValid(text);
}

export const secretsKey = v.pipe(
  v.string(),
  v.base64(),
  v.transform((text) => new Uint8Array(Buffer.from(text, 'base64'))),
  v.check((bytes) => bytes.length === 32),
);

export const headerPrefix = v.pipe(v.string(), v.regex(/^[A-Za-z][A-Za-z0-9-]{0,39}$/));

/** `10s,1m,5m,30m,2h,8h` → six waits in milliseconds; they never shrink (I3). */
export const retrySchedule = v.pipe(
  v.string(),
  v.transform((text) => text.split(',').map((part) => durationMs(part.trim()))),
  v.array(v.pipe(v.number(), v.minValue(1), v.maxValue(DURATION_MAX_MS))),
  v.length(RETRIES),
  v.check((waits) => waits.every((wait, index) => wait >= (waits[index - 1] ?? 0))),
);

/** `host:port`, comma-separated; IPv6 addresses in brackets. Lower-cased. */
export const hostsWithPorts = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .filter((part) => part !== ''),
  ),
  v.array(v.pipe(v.string(), v.check(isHostWithPort))),
);

/** Comma-separated members of a closed list, each once. */
export function listOf<const T extends readonly string[]>(allowed: T) {
  return v.pipe(
    v.string(),
    v.transform((text) => [...new Set(text.split(',').map((part) => part.trim()))]),
    v.array(v.picklist(allowed)),
    v.minLength(1),
  );
}

/** `gateway=2,actors=3` → counts per role; a role left out runs once. */
export const formation = v.pipe(
  v.string(),
  v.transform((text) => {
    const pairs = text.split(',').map((part) => part.trim().split('='));
    return { gateway: '1', actors: '1', panel: '1', ...Object.fromEntries(pairs) };
  }),
  v.strictObject({
    gateway: integerBetween(0, 64),
    actors: integerBetween(0, 64),
    panel: integerBetween(0, 64),
  }),
);

function durationMs(text: string): number {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  return Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
}

function isHostWithPort(text: string): boolean {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/.exec(text) ?? [];
  return host !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}
