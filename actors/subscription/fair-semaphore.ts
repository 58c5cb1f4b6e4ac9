/**
 * Fair semaphore of the attempts of a process: subscriptions alternate, one attempt at a time. A
 * long backlog therefore delays itself and no others.
 *
 * 1. The slots in use never exceed the process's cap, nor those of an organization its cap.
 * 2. A slot is idle only while no subscription below its organization's cap has a delivery to send.
 * 3. Between two turns of a subscription, every other one that waits and may start has had one.
 * 4. A slow attempt moves to the overflow pool, if that has room, and its slot is free for others.
 *    Otherwise ten subscribers that hang hold every slot of their organization for 10 s.
 */

/** A subscription that waits for its turns. */
export interface Waiter {
  readonly orgId: string;
  /** Starts one attempt; false when there is nothing to start after all. */
  start(): boolean;
  /** Whether one more attempt could start now. */
  readonly canStart: boolean;
}

export interface Caps {
  readonly perOrganization: number;
  readonly perProcess: number;
}

/** Slots in use, in total and by organization. */
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
  /** Waiters of organizations at their cap. */
  readonly #blocked = new Map<string, Set<Waiter>>();
  #granting = false;

  /** `overflow`: the caps of slow attempts. */
  constructor(caps: Caps, overflow: Caps) {
    this.#pool = new SlotPool(caps);
    this.#overflow = new SlotPool(overflow);
  }

  get used(): number {
    return this.#pool.total;
  }

  /** The waiter has a delivery to send: it starts now, or when its turn comes. */
  offer(waiter: Waiter): void {
    if (this.#blocked.get(waiter.orgId)?.has(waiter)) return;
    this.#waiting.add(waiter);
    this.#grant();
  }

  /** Acquires a slot now; false when none is free or another waiter waits. */
  tryAcquire(orgId: string): boolean {
    if (this.#waiting.size > 0 || this.#pool.isFull || this.#pool.isFullFor(orgId)) return false;
    this.#pool.add(orgId);
    return true;
  }

  withdraw(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    this.#blocked.get(waiter.orgId)?.delete(waiter);
  }

  /** Releases one slot of the organization. */
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

  /**
   * Moves a slow attempt to the overflow pool. False: it has no room, the attempt keeps its slot.
   */
  moveToOverflow(orgId: string): boolean {
    if (this.#overflow.isFull || this.#overflow.isFullFor(orgId)) return false;
    this.#overflow.add(orgId);
    this.release(orgId);
    return true;
  }

  /** An attempt in the overflow pool has ended. */
  releaseOverflow(orgId: string): void {
    this.#overflow.remove(orgId);
  }

  #grant(): void {
    // `start` may offer and release: the running loop handles that too.
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
    // Acquired before `start`, since an attempt may end within it.
    this.#pool.add(orgId);
    if (!waiter.start()) return this.release(orgId);
    if (waiter.canStart) this.#waiting.add(waiter);
  }
}
