/**
 * Hashes of passphrases: scrypt, in the panel's process, so that a passphrase goes no further. The
 * person's actor compares digests of hashes.
 *
 * 1. So many hashes run at once, and so many wait; a further one is refused (429). One takes 32 MiB
 *    and some 200 ms of a processor.
 * 2. Each place has one waiting hash that no other takes away. Further ones of a place wait where
 *    there is room, behind the first ones of all others, and make way for them. So a peer that
 *    guesses many times at once keeps nobody out, and an office behind one address signs in.
 * 3. Of the first ones, who signed in there of late goes before strangers, and takes the last one's
 *    place where all are taken.
 * 4. The cost stands beside each hash: a later release may raise it for new ones.
 */
import { scrypt } from 'node:crypto';
import { PASSPHRASE_HASHES_AT_ONCE, PASSPHRASE_HASHES_QUEUED } from '../../shared/limits.ts';
import type { HashParameters } from '../../shared/wire/person-commands.ts';

const COST = /^scrypt:(\d{1,8}):(\d{1,3}):(\d{1,3})$/;
const HASH_BYTES = 32;
const MEMORY_MAX_BYTES = 256 * 1024 * 1024;

/** Who wants a passphrase hashed. */
export interface Asker {
  /** Of one peer: an address, or an address that a person has signed in from. */
  readonly place: string;
  /** A sign-in of late, or a session, vouches for it. */
  readonly isKnown: boolean;
}

/** Null: too many wait. */
export type Hash = (
  passphrase: string,
  parameters: HashParameters,
  by: Asker,
) => Promise<string | null>;

interface Waiting extends Asker {
  /** How many of its place waited before it when it came. */
  readonly rank: number;
  /** False: it is refused. */
  readonly resume: (mayRun: boolean) => void;
}

type Rank = Pick<Waiting, 'isKnown' | 'rank'>;

/** Below 0 where the first goes before the second. */
function compare(one: Rank, other: Rank): number {
  return one.rank - other.rank || Number(other.isKnown) - Number(one.isKnown);
}

export class PassphraseHasher {
  #running = 0;
  /** In the order of their turns. */
  #waiting: readonly Waiting[] = [];
  readonly #hashOf: typeof hashOf;

  constructor(hash = hashOf) {
    this.#hashOf = hash;
  }

  /** Base64url; characters that look alike are one (NFKC). Null where too many wait. */
  readonly hash: Hash = async (passphrase, parameters, by) => {
    if (this.#running < PASSPHRASE_HASHES_AT_ONCE) this.#running += 1;
    else if (!(await this.#turn(by))) return null;
    try {
      return await this.#hashOf(passphrase.normalize('NFKC'), parameters);
    } finally {
      this.#endTurn();
    }
  };

  #turn(by: Asker): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const rank = this.#waiting.filter(({ place }) => place === by.place).length;
    // Sorting is stable: of equals the first to come goes first.
    const waiting = [...this.#waiting, { ...by, rank, resume: resolve }].toSorted(compare);
    this.#waiting = waiting.slice(0, PASSPHRASE_HASHES_QUEUED);
    waiting[PASSPHRASE_HASHES_QUEUED]?.resume(false);
    return promise;
  }

  /** The one that ends hands its turn over. */
  #endTurn(): void {
    const [next, ...others] = this.#waiting;
    this.#waiting = others;
    if (next) next.resume(true);
    else this.#running -= 1;
  }
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
