/**
 * Headers that an `http` step does not set: the service, its connection or a proxy writes them, and
 * a receiver may trust them. A flow with `X-Forwarded-For` would choose the address that the other
 * system sees, one with `Host` the site behind a shared address.
 */

const NAMES: ReadonlySet<string> = new Set([
  'host',
  'cookie',
  'content-length',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'forwarded',
  'x-request-id',
  // The name of the call, under which it is repeated.
  'idempotency-key',
]);
const PREFIXES = ['proxy-', 'sec-', 'x-forwarded-', 'x-recado-'] as const;
const OF_EVENTS = ['-event', '-delivery', '-signature'] as const;

/** @param eventPrefix of the headers of deliveries (EVENT_HEADER_PREFIX) */
export function isOwnHeader(name: string, eventPrefix: string): boolean {
  const lower = name.toLowerCase();
  return (
    NAMES.has(lower) ||
    PREFIXES.some((prefix) => lower.startsWith(prefix)) ||
    OF_EVENTS.some((suffix) => lower === `${eventPrefix.toLowerCase()}${suffix}`)
  );
}
