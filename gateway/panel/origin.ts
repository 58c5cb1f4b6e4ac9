/**
 * Origin of a changing call: only the panel's own page may make one.
 *
 * 1. The page sets a header of its own, which another origin cannot without a preflight.
 * 2. `Sec-Fetch-Site` must be `same-origin`. A browser sends none over plain http to a name:
 *    `Origin` must then be the panel's public address, or that of an accepted `Host`.
 */

/** Of every call that changes anything. */
const PANEL_HEADER = 'x-recado-panel';

export interface AcceptedOrigins {
  /** PANEL_PUBLIC_URL; null where it is not set. */
  readonly publicUrl: string | null;
  /** HOST. */
  readonly host: string;
}

type Headers = Readonly<Record<string, string>>;

export function isOwnCall(headers: Headers, accepted: AcceptedOrigins): boolean {
  if (headers[PANEL_HEADER] !== '1') return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return isOwnOrigin(headers.origin ?? '', headers.host ?? '', accepted);
}

function isOwnOrigin(origin: string, host: string, { publicUrl, host: own }: AcceptedOrigins) {
  if (publicUrl !== null) return origin === publicUrl;
  if (origin !== `http://${host}` || !URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return [own, `[${own}]`, 'localhost', '127.0.0.1'].includes(hostname);
}
