/**
 * Queue of key look-ups from addresses without tokens (D82). One query looks up many keys, so that
 * a good key succeeds even when its address is shared with bad ones.
 *
 * 1. One query is open at a time, and the next waits `PAUSE_MS`. So the cost of unknown keys is
 *    bounded.
 * 2. Addresses are served round robin, so that a flood from one address delays itself first.
 * 3. The capacity per address and the total capacity are bounded; a key beyond them is not looked
 *    up.
 */
import type { Clock } from '../../shared/ports/clock.ts';

const PAUSE_MS = 25;
const DIGESTS_PER_QUERY = 512;
const CAPACITY_PER_ADDRESS = 2_048;
const CAPACITY = 8_192;

/** Organizations of the digests that are keys. */
export type FindOrgs = (digests: readonly string[]) => Promise<ReadonlyMap<string, string>>;

interface Waiting {
  readonly digest: string;
  readonly found: (orgId: string | null) => void;
  readonly failed: (cause: unknown) => void;
}

export class KeyLookupQueue {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting[]>();
  #size = 0;
  #isDraining = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns the key's organization, null for no key; `undefined` when there is no room */
  async find(address: string, digest: string, ask: FindOrgs): Promise<string | null | undefined> {
    const queue = this.#waiting.get(address) ?? [];
    if (queue.length >= CAPACITY_PER_ADDRESS || this.#size >= CAPACITY) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    queue.push({ digest, found: resolve, failed: reject });
    this.#waiting.set(address, queue);
    this.#size += 1;
    if (!this.#isDraining) this.#scheduleBatch(ask);
    return promise;
  }

  #scheduleBatch(ask: FindOrgs): void {
    this.#isDraining = true;
    this.#clock.after(PAUSE_MS, () => void this.#runBatch(ask));
  }

  async #runBatch(ask: FindOrgs): Promise<void> {
    const next = this.#nextBatch();
    try {
      const orgs = await ask(next.map(({ digest }) => digest));
      for (const { digest, found } of next) found(orgs.get(digest) ?? null);
    } catch (cause) {
      for (const { failed } of next) failed(cause);
    }
    this.#isDraining = false;
    if (this.#size > 0) this.#scheduleBatch(ask);
  }

  /** One of each address, round after round. */
  #nextBatch(): readonly Waiting[] {
    const next: Waiting[] = [];
    while (next.length < DIGESTS_PER_QUERY && this.#size > 0) {
      for (const [address, queue] of this.#waiting) {
        const first = queue.shift();
        if (first) {
          next.push(first);
          this.#size -= 1;
        }
        if (queue.length === 0) this.#waiting.delete(address);
        if (next.length === DIGESTS_PER_QUERY) break;
      }
    }
    return next;
  }
}
