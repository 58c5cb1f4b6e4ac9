/**
 * Address of a person's browser. A proxy's `X-Forwarded-For` is believed only from the networks of
 * PANEL_TRUSTED_PROXIES: the last address that is not such a proxy's is the browser's.
 */
import { peerOf } from '../peer.ts';

export function clientAddress(
  remote: string,
  forwardedFor: string,
  isTrusted: (address: string) => boolean,
): string {
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  let address = remote;
  for (let hop = hops.pop(); hop && isTrusted(address); hop = hops.pop()) address = hop;
  return peerOf(address);
}
