/** Signatures of an event, as the service makes and a receiver verifies them (C6.1). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HeadersLike, VerifyOptions } from './api.ts';
import { SignatureRefused } from './errors.ts';

const SECRET_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const TOLERANCE_SECONDS = 300;
const STANDARD = 'webhook-signature';
/** The maker's name is before it. */
const SERVICE = /-signature$/;

interface Delivery {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number | string;
  readonly body: string | Uint8Array;
}

export interface Signatures {
  readonly service: string;
  readonly standard: string;
}

export function sign(secret: string, { id, timestamp, body }: Delivery): Signatures {
  const service = createHmac('sha256', secret).update(body).digest('hex');
  const standard = createHmac('sha256', standardKey(secret))
    .update(`${id}.${timestamp}.`)
    .update(body);
  return { service: `sha256=${service}`, standard: `v1,${standard.digest('base64')}` };
}

/** A secret is used raw, with its prefix too, if what follows that is not base64. */
function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  const isCoded = encoded !== '' && BASE64.test(encoded);
  return Buffer.from(isCoded ? encoded : secret, isCoded ? 'base64' : 'utf8');
}

/**
 * The event of a request whose signature is valid under one of the secrets.
 * @param body the bytes as they came
 * @throws SignatureRefused
 */
export function verify(
  secret: string | readonly string[],
  headers: HeadersLike,
  { body, ...options }: VerifyOptions & { readonly body: string | Uint8Array },
): unknown {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const headerOf = readerOf(headers);
  const isStandard =
    options.signature === undefined
      ? headerOf((name) => name === STANDARD) !== null
      : options.signature === 'standard';
  const isValid = isStandard
    ? isStandardValid(secrets, headerOf, { body, ...options })
    : isServiceValid(secrets, headerOf, body);
  if (!isValid) throw new SignatureRefused('The signature is not valid for these bytes.');
  return eventOf(body);
}

type HeaderOf = (isWanted: (name: string) => boolean) => string | null;

function readerOf(headers: HeadersLike): HeaderOf {
  const entries = isIterable(headers) ? [...headers] : Object.entries(headers);
  return (isWanted) => {
    const [, value] = entries.find(([name]) => isWanted(name.toLowerCase())) ?? [];
    return typeof value === 'string' ? value : (value?.[0] ?? null);
  };
}

function isIterable(headers: HeadersLike): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}

function isServiceValid(secrets: readonly string[], headerOf: HeaderOf, body: string | Uint8Array) {
  const given = headerOf((name) => SERVICE.test(name) && name !== STANDARD);
  if (given === null) throw new SignatureRefused('The request has no signature.');
  return secrets.some((secret) =>
    isEqual(sign(secret, { id: '', timestamp: '', body }).service, given),
  );
}

function isStandardValid(
  secrets: readonly string[],
  headerOf: HeaderOf,
  {
    body,
    now = Date.now(),
    toleranceSeconds = TOLERANCE_SECONDS,
  }: VerifyOptions & Pick<Delivery, 'body'>,
): boolean {
  const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', STANDARD].map((wanted) =>
    headerOf((name) => name === wanted),
  );
  if (!id || !timestamp || !given) throw new SignatureRefused('The request has no signature.');
  const distance = Math.abs(now / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || distance > toleranceSeconds) {
    throw new SignatureRefused('The request is too old, or from the future.');
  }
  return secrets.some((secret) => {
    const { standard } = sign(secret, { id, timestamp, body });
    return given.split(' ').some((each) => isEqual(standard, each));
  });
}

function isEqual(wanted: string, given: string): boolean {
  const [one, other] = [Buffer.from(wanted), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function eventOf(body: string | Uint8Array): unknown {
  const event: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
  if (typeof event === 'object' && event !== null && 'event' in event && 'data' in event)
    return event;
  throw new SignatureRefused('The body is not an event.');
}
