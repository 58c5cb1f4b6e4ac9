/** Verification of the networks' webhook signatures, on the raw bytes and in constant time. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SignatureCheck {
  readonly algorithm: 'sha256' | 'sha512';
  readonly secret: string | undefined;
  readonly rawBody: Uint8Array;
  /** Lower- or upper-case hex, without any prefix. */
  readonly hex: string | undefined;
}

/**
 * False also where the secret or the signature is missing: unsigned requests are never accepted.
 */
export function signatureHolds(check: SignatureCheck): boolean {
  if (!check.secret || !check.hex || !/^[0-9a-f]+$/i.test(check.hex)) return false;
  const expected = createHmac(check.algorithm, check.secret).update(check.rawBody).digest();
  const given = Buffer.from(check.hex, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Compares two secrets in constant time. */
export function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** A header by its name, whatever the case it was kept in. */
export function headerOf(
  headers: Readonly<Record<string, string>>,
  lowerCaseName: string,
): string | undefined {
  const direct = headers[lowerCaseName];
  if (direct !== undefined) return direct;
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === lowerCaseName) return value;
  }
  return undefined;
}
