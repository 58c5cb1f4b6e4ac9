/**
 * Hashes of passphrases: scrypt, in the panel's process, so that a passphrase goes no further. The
 * person's actor compares digests of hashes.
 *
 * 1. So many hashes run at once, and so many wait; a further one is refused (429). One takes 32 MiB
 *    and some 200 ms of a processor.
 * 2. The cost stands beside each hash: a later release may raise it for new ones.
 */
import { scrypt } from 'node:crypto';
import { PASSPHRASE_HASHES_AT_ONCE, PASSPHRASE_HASHES_QUEUED } from '../../shared/limits.ts';
import type { HashParameters } from '../../shared/wire/person-commands.ts';

const COST = /^scrypt:(\d{1,8}):(\d{1,3}):(\d{1,3})$/;
const HASH_BYTES = 32;
const MEMORY_MAX_BYTES = 256 * 1024 * 1024;

/** Null: too many wait. */
export type Hash = (passphrase: string, parameters: HashParameters) => Promise<string | null>;

export class PassphraseHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Base64url; characters that look alike are one (NFKC). Null where too many wait. */
  readonly hash: Hash = async (passphrase, parameters) => {
    if (this.#running >= PASSPHRASE_HASHES_AT_ONCE) {
      if (this.#waiting.length >= PASSPHRASE_HASHES_QUEUED) return null;
      // The one that ends hands its place over.
      await new Promise<void>((resume) => this.#waiting.push(resume));
    } else this.#running += 1;
    try {
      return await hashOf(passphrase.normalize('NFKC'), parameters);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  };
}

function hashOf(passphrase: string, { cost, salt }: HashParameters): Promise<string> {
  const [, N, r, p] = (COST.exec(cost) ?? []).map(Number);
  if (!N || !r || !p) throw new Error('a passphrase has a cost of another release');
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: MEMORY_MAX_BYTES };
    scrypt(passphrase, salt, HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key.toString('base64url')),
    );
  });
}
