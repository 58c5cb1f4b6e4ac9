/**
 * How many attempts a process makes at once, and whose turn it is: subscriptions take turns, one
 * attempt at a time, so that a long backlog waits behind itself and not before the others.
 *
 * 1. Never more than the process's cap are under way, nor more of one organization than its cap.
 * 2. Who can start is started: a slot is idle only while nobody who is under its organization's cap
 *    has anything to send.
 * 3. Between two turns of a subscription everybody else who waits and may start has had one.
 * 4. An attempt that lasts steps aside, while there is room there: its slot goes to the others. Ten
 *    subscribers that hang would otherwise hold every slot of their organization for 10 s.
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

/** Attempts under way, in all and by organization. */
class Taken {
  readonly #caps: Caps;
  readonly #byOrganization = new Map<string, number>();
  total = 0;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  get full(): boolean {
    return this.total >= this.#caps.perProcess;
  }

  fullFor(orgId: string): boolean {
    return (this.#byOrganization.get(orgId) ?? 0) >= this.#caps.perOrganization;
  }

  add(orgId: string): void {
    this.total++;
    this.#byOrganization.set(orgId, (this.#byOrganization.get(orgId) ?? 0) + 1);
  }

  remove(orgId: string): void {
    this.total--;
    const left = (this.#byOrganization.get(orgId) ?? 1) - 1;
    if (left > 0) this.#byOrganization.set(orgId, left);
    else this.#byOrganization.delete(orgId);
  }
}

export class Slots {
  readonly #slots: Taken;
  readonly #aside: Taken;
  readonly #waiting = new Set<Turner>();
  /** Their organization is at its cap. */
  readonly #held = new Map<string, Set<Turner>>();
  #turning = false;

  /** `aside`: of attempts that last. */
  constructor(caps: Caps, aside: Caps) {
    this.#slots = new Taken(caps);
    this.#aside = new Taken(aside);
  }

  get used(): number {
    return this.#slots.total;
  }

  /** The turner has something to send: it is started now, or when its turn comes. */
  offer(turner: Turner): void {
    if (this.#held.get(turner.orgId)?.has(turner)) return;
    this.#waiting.add(turner);
    this.#turn();
  }

  /** One for an attempt whose turn it is now; false: there is none, or somebody waits for one. */
  take(orgId: string): boolean {
    if (this.#waiting.size > 0 || this.#slots.full || this.#slots.fullFor(orgId)) return false;
    this.#slots.add(orgId);
    return true;
  }

  withdraw(turner: Turner): void {
    this.#waiting.delete(turner);
    this.#held.get(turner.orgId)?.delete(turner);
  }

  /** One attempt of the organization has ended. */
  release(orgId: string): void {
    this.#slots.remove(orgId);
    const held = this.#held.get(orgId);
    const [first] = held ?? [];
    if (held && first) {
      held.delete(first);
      if (held.size === 0) this.#held.delete(orgId);
      this.#waiting.add(first);
    }
    this.#turn();
  }

  /** One attempt of the organization lasts. False: there is no room, it keeps its slot. */
  stepAside(orgId: string): boolean {
    if (this.#aside.full || this.#aside.fullFor(orgId)) return false;
    this.#aside.add(orgId);
    this.release(orgId);
    return true;
  }

  /** One that had stepped aside has ended. */
  releaseAside(orgId: string): void {
    this.#aside.remove(orgId);
  }

  #turn(): void {
    // `start` may offer and release: the loop that is running sees to those too.
    if (this.#turning) return;
    this.#turning = true;
    for (const turner of this.#waiting) {
      if (this.#slots.full) break;
      this.#waiting.delete(turner);
      this.#giveTurn(turner);
    }
    this.#turning = false;
  }

  #giveTurn(turner: Turner): void {
    const { orgId } = turner;
    if (this.#slots.fullFor(orgId)) {
      const held = this.#held.get(orgId) ?? new Set();
      this.#held.set(orgId, held.add(turner));
      return;
    }
    // Taken before it starts: an attempt may end within `start`.
    this.#slots.add(orgId);
    if (!turner.start()) return this.release(orgId);
    if (turner.eager) this.#waiting.add(turner);
  }
}
