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
export interface Waiter {
  readonly orgId: string;
  /** Starts one attempt; false when there is nothing to start after all. */
  start(): boolean;
  /** Whether it could start one more now. */
  readonly canStart: boolean;
}

export interface Caps {
  readonly perOrganization: number;
  readonly perProcess: number;
}

/** Attempts under way, in all and by organization. */
class SlotPool {
  readonly #caps: Caps;
  readonly #byOrganization = new Map<string, number>();
  total = 0;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  get isFull(): boolean {
    return this.total >= this.#caps.perProcess;
  }

  isFullFor(orgId: string): boolean {
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

export class FairSemaphore {
  readonly #pool: SlotPool;
  readonly #overflow: SlotPool;
  readonly #waiting = new Set<Waiter>();
  /** Their organization is at its cap. */
  readonly #blocked = new Map<string, Set<Waiter>>();
  #granting = false;

  /** `aside`: of attempts that last. */
  constructor(caps: Caps, overflow: Caps) {
    this.#pool = new SlotPool(caps);
    this.#overflow = new SlotPool(overflow);
  }

  get used(): number {
    return this.#pool.total;
  }

  /** The turner has something to send: it is started now, or when its turn comes. */
  offer(waiter: Waiter): void {
    if (this.#blocked.get(waiter.orgId)?.has(waiter)) return;
    this.#waiting.add(waiter);
    this.#grant();
  }

  /** One for an attempt whose turn it is now; false: there is none, or somebody waits for one. */
  tryAcquire(orgId: string): boolean {
    if (this.#waiting.size > 0 || this.#pool.isFull || this.#pool.isFullFor(orgId)) return false;
    this.#pool.add(orgId);
    return true;
  }

  withdraw(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    this.#blocked.get(waiter.orgId)?.delete(waiter);
  }

  /** One attempt of the organization has ended. */
  release(orgId: string): void {
    this.#pool.remove(orgId);
    const blocked = this.#blocked.get(orgId);
    const [first] = blocked ?? [];
    if (blocked && first) {
      blocked.delete(first);
      if (blocked.size === 0) this.#blocked.delete(orgId);
      this.#waiting.add(first);
    }
    this.#grant();
  }

  /** One attempt of the organization lasts. False: there is no room, it keeps its slot. */
  moveToOverflow(orgId: string): boolean {
    if (this.#overflow.isFull || this.#overflow.isFullFor(orgId)) return false;
    this.#overflow.add(orgId);
    this.release(orgId);
    return true;
  }

  /** One that had stepped aside has ended. */
  releaseOverflow(orgId: string): void {
    this.#overflow.remove(orgId);
  }

  #grant(): void {
    // `start` may offer and release: the loop that is running sees to those too.
    if (this.#granting) return;
    this.#granting = true;
    for (const waiter of this.#waiting) {
      if (this.#pool.isFull) break;
      this.#waiting.delete(waiter);
      this.#grantTo(waiter);
    }
    this.#granting = false;
  }

  #grantTo(waiter: Waiter): void {
    const { orgId } = waiter;
    if (this.#pool.isFullFor(orgId)) {
      const blocked = this.#blocked.get(orgId) ?? new Set();
      this.#blocked.set(orgId, blocked.add(waiter));
      return;
    }
    // Taken before it starts: an attempt may end within `start`.
    this.#pool.add(orgId);
    if (!waiter.start()) return this.release(orgId);
    if (waiter.canStart) this.#waiting.add(waiter);
  }
}
