/** Signing secrets of subscriptions, as the libraries of Standard Webhooks read them. */

const PREFIX = 'whsec_';
const PADDED_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MIN_BYTES = 24;
const MAX_BYTES = 64;

export const UNVERIFIABLE_SECRET = {
  code: 'unverifiableSecret',
  params: { prefix: PREFIX, minBytes: MIN_BYTES, maxBytes: MAX_BYTES },
} as const;

/**
 * Whether a library can verify with it. `whsec_` says that base64 follows: where it does not, the
 * service signs with other bytes than the library, or the library refuses the secret.
 */
export function isVerifiable(secret: string): boolean {
  if (!secret.startsWith(PREFIX)) return true;
  const encoded = secret.slice(PREFIX.length);
  if (!PADDED_BASE64.test(encoded)) return false;
  const padding = encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0;
  const bytes = (encoded.length / 4) * 3 - padding;
  return bytes >= MIN_BYTES && bytes <= MAX_BYTES;
}
