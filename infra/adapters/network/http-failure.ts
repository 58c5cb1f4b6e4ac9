/** Shared by HTTP calls to networks: the parts of an address, the text of a failure. */
import { type NetworkFault, networkFault } from '../../../shared/network-fault.ts';
import { readNetworkFailure } from '../outbound/network-failure.ts';

/** Null for a text that is no http or https URL. */
export function originAndPath(url: string): { origin: string; path: string } | null {
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return null;
  return { origin: parsed.origin, path: parsed.pathname + parsed.search };
}

/** The system's code and the sentence; neither holds a token, a phone or a body. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message}`;
}

/** The kind of a failure without an answer. */
export function faultOf(error: unknown): NetworkFault {
  const { kind } = readNetworkFailure(error);
  return networkFault(kind === 'blocked_address' ? 'network' : kind);
}
