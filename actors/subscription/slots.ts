/**
 * How many attempts a process makes at once, and whose turn it is: subscriptions take turns, one
 * attempt at a time, so that a long backlog waits behind itself and not before the others.
 *
 * 1. Never more than the process's cap are under way, nor more of one organization than its cap.
 * 2. Who can start is started: a slot is idle only while nobody who is under its organization's cap
 *    has anything to send.
 * 3. Between two turns of a subscription everybody else who waits and may start has had one.
 */

/** A subscription that takes turns. */
export interface Turner {
  readonly orgId: string;
  /** Starts one attempt; false when there is nothing to start after all. */
  start(): boolean;
  /** Whether it could start one more now. */
  readonly eager: boolean;
}

export interface Caps {
  readonly perOrganization: number;
  readonly perProcess: number;
}

export class Slots {
  readonly #caps: Caps;
  readonly #waiting = new Set<Turner>();
  /** Their organization is at its cap. */
  readonly #held = new Map<string, Set<Turner>>();
  readonly #used = new Map<string, number>();
  #total = 0;
  #turning = false;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  get used(): number {
    return this.#total;
  }

  /** The turner has something to send: it is started now, or when its turn comes. */
  offer(turner: Turner): void {
    if (this.#held.get(turner.orgId)?.has(turner)) return;
    this.#waiting.add(turner);
    this.#turn();
  }

  withdraw(turner: Turner): void {
    this.#waiting.delete(turner);
    this.#held.get(turner.orgId)?.delete(turner);
  }

  /** One attempt of the organization has ended. */
  release(orgId: string): void {
    this.#total--;
    const used = (this.#used.get(orgId) ?? 1) - 1;
    if (used > 0) this.#used.set(orgId, used);
    else this.#used.delete(orgId);
    const held = this.#held.get(orgId);
    const [first] = held ?? [];
    if (held && first) {
      held.delete(first);
      if (held.size === 0) this.#held.delete(orgId);
      this.#waiting.add(first);
    }
    this.#turn();
  }

  #turn(): void {
    // `start` may offer and release: the loop that is running sees to those too.
    if (this.#turning) return;
    this.#turning = true;
    for (const turner of this.#waiting) {
      if (this.#total >= this.#caps.perProcess) break;
      this.#waiting.delete(turner);
      this.#giveTurn(turner);
    }
    this.#turning = false;
  }

  #giveTurn(turner: Turner): void {
    const { orgId } = turner;
    const used = this.#used.get(orgId) ?? 0;
    if (used >= this.#caps.perOrganization) {
      const held = this.#held.get(orgId) ?? new Set();
      this.#held.set(orgId, held.add(turner));
      return;
    }
    // Taken before it starts: an attempt may end within `start`.
    this.#total++;
    this.#used.set(orgId, used + 1);
    if (!turner.start()) return this.release(orgId);
    if (turner.eager) this.#waiting.add(turner);
  }
}
