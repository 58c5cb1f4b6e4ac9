/**
 * Secrets at rest and signatures of deliveries (C6.1, D46).
 *
 * 1. Secrets are sealed with AES-256-GCM under SECRETS_KEY with a random 96-bit IV. The version
 *    prefix and the location are authenticated too. A sealed secret does not open if it was
 *    altered, sealed under another key, or copied from another organization, record or field.
 * 2. `X-Service-Signature` uses one secret, the newest, as its literal bytes. `webhook-signature`
 *    has one signature per valid secret, keyed as the Standard Webhooks libraries key it.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { DecryptionFailed, type SecretLocation, type Vault } from '../../../shared/ports/vault.ts';

const VERSION = 'v2';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const UNOPENED =
  'a stored secret does not open: SECRETS_KEY is not the one that sealed it, or not for this place';
const SECRET_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * A vault under the key `secretsKeyBase64`, 32 bytes in base64. Throws when the key is of another
 * length; `open` throws on a text that this key did not seal.
 */
export function createVault(secretsKeyBase64: string): Vault {
  const bytes = Buffer.from(secretsKeyBase64, 'base64');
  if (bytes.length !== KEY_BYTES) {
    throw new Error(`SECRETS_KEY takes ${KEY_BYTES} bytes in base64, not ${bytes.length}`);
  }
  // A secret opens in 5 µs with the key object, and in 26 µs with the key's bytes.
  const key = createSecretKey(bytes);
  return {
    seal: (plain, location) => seal(key, plain, location),
    open: (sealed, location) => open(key, sealed, location),
    sign: (secrets, delivery) => {
      const newest = secrets[0];
      if (newest === undefined) throw new Error('a delivery is signed with at least one secret');
      const signed = `${delivery.id}.${delivery.timestamp}.${delivery.body}`;
      return {
        service: `sha256=${createHmac('sha256', plainKey(newest)).update(delivery.body).digest('hex')}`,
        standard: secrets.map((secret) => standardSignature(secret, signed)).join(' '),
      };
    },
    freshSecret: () => SECRET_PREFIX + randomBytes(KEY_BYTES).toString('base64'),
  };
}

function seal(key: KeyObject, plain: string, location: SecretLocation): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(boundTo(location));
  const hidden = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64url')}`;
}

function open(key: KeyObject, sealed: string, location: SecretLocation): string {
  const [version = '', encoded] = sealed.split('.');
  const bytes = Buffer.from(encoded ?? '', 'base64url');
  if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES) {
    throw new DecryptionFailed('a stored secret is not in a format that this version opens');
  }
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
    .setAAD(boundTo(location))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    const hidden = bytes.subarray(IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(hidden), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new DecryptionFailed(UNOPENED, { cause: error });
  }
}

/** Authenticated data beside the secret; JSON, so that no two locations have the same bytes. */
function boundTo({ orgId, recordId, field }: SecretLocation): Buffer {
  return Buffer.from(JSON.stringify([VERSION, orgId, recordId, field]));
}

/** Standard Webhooks 1.0.0: base64 of HMAC-SHA256 over `id.timestamp.body`. */
function standardSignature(secret: string, signed: string): string {
  return `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`;
}

/** Cached per secret: a signature with a key's bytes costs 16 µs, with the key object 3 µs. */
function keysOf(bytesOf: (secret: string) => Buffer): (secret: string) => KeyObject {
  const keys = new Map<string, KeyObject>();
  return (secret) => {
    const known = keys.get(secret);
    if (known) return known;
    const key = createSecretKey(bytesOf(secret));
    if (keys.size >= KEYS_MAX) keys.clear();
    keys.set(secret, key);
    return key;
  };
}

/** Beyond these all are derived again. */
const KEYS_MAX = 10_000;
const plainKey = keysOf((secret) => Buffer.from(secret, 'utf8'));
/** A caller's own secret is used raw, with the prefix too if what follows it is not base64. */
const standardKey = keysOf((secret) => {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  const coded = encoded !== '' && BASE64.test(encoded);
  return Buffer.from(coded ? encoded : secret, coded ? 'base64' : 'utf8');
});
