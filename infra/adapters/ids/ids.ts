/** Opaque ids: fresh ones of time and chance, derived ones keyed with the installation's salt. */
import { createHmac, createSecretKey, hash, randomFillSync } from 'node:crypto';
import type { Ids, InstallationRecord } from '../../../shared/ports/ids.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 22 characters of 62 have 130 bits. */
const ID_CHARS = 22;
/** Of a fresh id, its time in milliseconds; the other 14 have 83 random bits. */
const TIME_CHARS = 8;
const POOL_BYTES = 4096;

const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

function randomByte(): number {
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] ?? 0;
}

let timeAt = 0;
let timeText = '';

/** The digits are in the order of their codes: a later time is a larger text. */
function encodeTime(ms: number): string {
  if (ms === timeAt) return timeText;
  let text = '';
  for (let number = ms, i = 0; i < TIME_CHARS; i++) {
    text = `${ALPHABET[number % 62]}${text}`;
    number = Math.floor(number / 62);
  }
  timeAt = ms;
  timeText = text;
  return text;
}

/**
 * A fresh id needs no salt: a process can create ids before it knows the installation. An id begins
 * with its time, so that documents written together are neighbours in an index. With random ids,
 * each insert among a million reads and writes a page of its own.
 */
export function freshId(prefix: string): string {
  const chars: number[] = [];
  while (chars.length < ID_CHARS - TIME_CHARS) {
    const byte = randomByte();
    // 248 is the largest multiple of 62 in a byte: beyond it the draw would be biased.
    if (byte < 248) chars.push(ALPHABET.charCodeAt(byte % 62));
  }
  return flat(`${prefix}_${encodeTime(Date.now())}`, chars);
}

/**
 * One flat string. A string built by concatenation is a rope of one node per character until its
 * first full read. That costs 480 bytes for an id of 56, for the id's lifetime.
 */
function flat(start: string, chars: readonly number[]): string {
  const length = scratch.write(start, 'latin1');
  for (const [at, char] of chars.entries()) scratch[length + at] = char;
  return scratch.toString('latin1', 0, length + chars.length);
}

const scratch = Buffer.alloc(128);

/** So many digits fit into a double: a division of a long number costs a hundred of short ones. */
const DIGITS_AT_ONCE = 8;
const AT_ONCE = 62n ** BigInt(DIGITS_AT_ONCE);

/** The character codes of 136 bits in base 62, the lowest digit first. */
function encode(digest: Buffer): readonly number[] {
  let number = BigInt(`0x${digest.toString('hex', 0, 17)}`);
  const chars: number[] = [];
  while (chars.length < ID_CHARS) {
    let digits = Number(number % AT_ONCE);
    number /= AT_ONCE;
    for (let i = 0; i < DIGITS_AT_ONCE && chars.length < ID_CHARS; i++) {
      chars.push(ALPHABET.charCodeAt(digits % 62));
      digits = Math.floor(digits / 62);
    }
  }
  return chars;
}

/** Derived ids repeat on the hot path. Beyond so many in the cache all are derived again. */
const CACHE_ENTRIES = 10_000;

export function createIds(salt: Uint8Array): Ids {
  const key = createSecretKey(salt);
  const cache = new Map<string, string>();
  return {
    fresh: freshId,
    derive(prefix, ...parts) {
      // Joined, no two lists of parts are the same unless they are: none holds what joins them.
      const named = [prefix, ...parts];
      const joined = named.some((part) => part.includes('\n')) ? null : named.join('\n');
      const known = joined === null ? undefined : cache.get(joined);
      if (known !== undefined) return known;
      const name = JSON.stringify(named);
      const id = flat(`${prefix}_`, encode(createHmac('sha256', key).update(name).digest()));
      if (cache.size >= CACHE_ENTRIES) cache.clear();
      if (joined !== null) cache.set(joined, id);
      return id;
    },
    digest: (secret) => hash('sha256', secret, 'base64url'),
  };
}

/** The ids of an installation. */
export function idsOf({ salt }: InstallationRecord): Ids {
  return createIds(Buffer.from(salt, 'base64'));
}
