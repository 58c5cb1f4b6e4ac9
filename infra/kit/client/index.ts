/** The package's own exports; what the document adds is generated. */
import type { HeadersLike, VerifyOptions } from './api.ts';
import { verify as verifyBody } from './signatures.ts';

export { clientOf } from './client.ts';
export { NoAnswer, RecadoError, SignatureRefused, StreamReplaced } from './errors.ts';

/** Verifies a request of the service's, and parses its event. */
export function verify(
  ...[secret, headers, body, options]: readonly [
    string | readonly string[],
    HeadersLike,
    string | Uint8Array,
    VerifyOptions?,
  ]
): unknown {
  return verifyBody(secret, headers, { ...options, body });
}
