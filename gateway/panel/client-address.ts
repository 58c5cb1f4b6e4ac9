/**
 * Address of a person's browser. A proxy's `X-Forwarded-For` is believed only from the networks of
 * PANEL_TRUSTED_PROXIES: the last address that is not such a proxy's is the browser's.
 */
import type { Log } from '../../shared/ports/log.ts';
import { peerOf } from '../throttling/peer.ts';

/** Some proxies add the port: `192.0.2.1:5678`, `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>[\d.]+):\d+)$/;

export function clientAddress(
  remote: string,
  forwardedFor: string,
  isTrusted: (address: string) => boolean,
): string {
  const hops = forwardedFor.split(',').map((hop) => withoutPort(hop.trim()));
  let address = remote;
  for (let hop = hops.pop(); hop && isTrusted(address); hop = hops.pop()) address = hop;
  return peerOf(address);
}

function withoutPort(hop: string): string {
  const { v4, v6 } = WITH_PORT.exec(hop)?.groups ?? {};
  return v4 ?? v6 ?? hop;
}

type Headers = Readonly<Record<string, string>>;

/**
 * The first peer that names another address and is not believed: most likely a proxy that
 * PANEL_TRUSTED_PROXIES leaves out. All of its people then share one address, and its bounds.
 */
export class UntrustedProxy {
  #first: string | null = null;
  readonly #log: Pick<Log, 'warn'>;
  readonly #isTrusted: (address: string) => boolean;

  constructor(log: Pick<Log, 'warn'>, isTrusted: (address: string) => boolean) {
    this.#log = log;
    this.#isTrusted = isTrusted;
  }

  /** Its address, for `recado doctor`; null where there was none. */
  get first(): string | null {
    return this.#first;
  }

  watch(remote: string, headers: Headers): void {
    const isForwarded = headers['x-forwarded-for'] ?? headers.forwarded;
    if (this.#first !== null || !isForwarded || this.#isTrusted(remote)) return;
    this.#first = peerOf(remote);
    this.#log.warn({ address: this.#first, setting: 'PANEL_TRUSTED_PROXIES' }, UNTRUSTED);
  }
}

const UNTRUSTED = 'an untrusted peer forwards addresses, which are not believed';
