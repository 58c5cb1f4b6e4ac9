/**
 * Where keys wait that come from an address without tokens (D82). They are all
 * looked up, many with one question, so that a good key gets through whoever shares its address.
 *
 * 1. One question is open at a time, and the next waits `PAUSE_MS`: what strangers cost is bounded.
 * 2. Addresses take turns, so that a flood from one holds back itself first.
 * 3. An address, and all of them, have only so much room; beyond it nobody is asked.
 */
import type { Clock } from '../shared/ports.ts';

const PAUSE_MS = 25;
const DIGESTS_PER_QUESTION = 512;
const ROOM_OF_AN_ADDRESS = 2_048;
const ROOM = 8_192;

/** Organizations of the digests that are keys. */
export type FindOrgs = (digests: readonly string[]) => Promise<ReadonlyMap<string, string>>;

interface Waiting {
  readonly digest: string;
  readonly found: (orgId: string | null) => void;
  readonly failed: (cause: unknown) => void;
}

export class SlowLane {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Waiting[]>();
  #size = 0;
  #moving = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns the key's organization, null for no key; `undefined` when there is no room */
  async find(address: string, digest: string, ask: FindOrgs): Promise<string | null | undefined> {
    const queue = this.#waiting.get(address) ?? [];
    if (queue.length >= ROOM_OF_AN_ADDRESS || this.#size >= ROOM) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    queue.push({ digest, found: resolve, failed: reject });
    this.#waiting.set(address, queue);
    this.#size += 1;
    if (!this.#moving) this.#moveLater(ask);
    return promise;
  }

  #moveLater(ask: FindOrgs): void {
    this.#moving = true;
    this.#clock.after(PAUSE_MS, () => void this.#move(ask));
  }

  async #move(ask: FindOrgs): Promise<void> {
    const next = this.#next();
    try {
      const orgs = await ask(next.map(({ digest }) => digest));
      for (const { digest, found } of next) found(orgs.get(digest) ?? null);
    } catch (cause) {
      for (const { failed } of next) failed(cause);
    }
    this.#moving = false;
    if (this.#size > 0) this.#moveLater(ask);
  }

  /** One of each address, round after round. */
  #next(): readonly Waiting[] {
    const next: Waiting[] = [];
    while (next.length < DIGESTS_PER_QUESTION && this.#size > 0) {
      for (const [address, queue] of this.#waiting) {
        const first = queue.shift();
        if (first) {
          next.push(first);
          this.#size -= 1;
        }
        if (queue.length === 0) this.#waiting.delete(address);
        if (next.length === DIGESTS_PER_QUESTION) break;
      }
    }
    return next;
  }
}
