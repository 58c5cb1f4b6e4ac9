/**
 * Form of the signature of a network's webhook. Whoever has the channel's secret verifies it over
 * the raw bytes; its form alone tells most of what is not from the network, before a body is read.
 */
import type { Provider } from './vocabulary.ts';

const CLOUD = /^sha256=(?<hex>[0-9a-f]{64})$/i;
const WEB = /^(?<hex>[0-9a-f]{128})$/i;

/**
 * The digest in hex; undefined where it is missing or malformed.
 * @param header a header's value by its name in lower case
 */
export function signatureIn(
  provider: Provider,
  header: (name: string) => string | undefined,
): string | undefined {
  if (provider === 'cloud') return CLOUD.exec(header('x-hub-signature-256') ?? '')?.groups?.hex;
  if ((header('x-webhook-hmac-algorithm') ?? 'sha512') !== 'sha512') return undefined;
  return WEB.exec(header('x-webhook-hmac') ?? '')?.groups?.hex;
}
