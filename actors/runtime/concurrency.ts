/** Concurrency primitives: fair semaphore, one run or batch of a tick, mutex per key. */

/**
 * Fair semaphore of a process: waiters alternate, one slot at a time. A long backlog therefore
 * delays itself and no others.
 *
 * 1. The slots in use never exceed the process's cap, nor those of an organization its cap.
 * 2. A slot is idle only while no waiter below its organization's cap has work to start.
 * 3. Between two turns of a waiter, every other one that waits and may start has had one.
 * 4. Slow work moves to the overflow pool, if that has room, and its slot is free for others.
 *    Otherwise ten subscribers that hang hold every slot of their organization for 10 s.
 * 5. While other organizations call, an organization may have a smaller cap: its backlog is
 *    background.
 */
export interface Waiter {
  readonly orgId: string;
  /** Starts one piece of work; false when there is nothing to start after all. */
  start(): boolean;
  /** Whether one more could start now. */
  readonly canStart: boolean;
}

export interface Caps {
  readonly perOrganization: number;
  readonly perProcess: number;
  /** Cap of an organization while others call; its whole cap where absent. */
  readonly whileContended?: number;
}

export type IsContended = (orgId: string) => boolean;

const NO_SLOTS: Caps = { perOrganization: 0, perProcess: 0 };

/** Slots in use, in total and by organization. */
class SlotPool {
  readonly #caps: Caps;
  readonly #isContended: IsContended;
  readonly #byOrganization = new Map<string, number>();
  total = 0;

  constructor(caps: Caps, isContended: IsContended = () => false) {
    this.#caps = caps;
    this.#isContended = isContended;
  }

  get isFull(): boolean {
    return this.total >= this.#caps.perProcess;
  }

  isFullFor(orgId: string): boolean {
    const { perOrganization, whileContended = perOrganization } = this.#caps;
    const used = this.#byOrganization.get(orgId) ?? 0;
    if (used >= perOrganization) return true;
    return used >= whileContended && this.#isContended(orgId);
  }

  add(orgId: string): void {
    this.total++;
    this.#byOrganization.set(orgId, (this.#byOrganization.get(orgId) ?? 0) + 1);
  }

  /** Frees the organization's slot; `total` is the caller's. */
  removeOf(orgId: string): void {
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

  /** `overflow`: the caps of slow work. */
  constructor(caps: Caps, overflow = NO_SLOTS, isContended?: IsContended) {
    this.#pool = new SlotPool(caps, isContended);
    this.#overflow = new SlotPool(overflow);
  }

  get used(): number {
    return this.#pool.total;
  }

  /** The waiter has work: it starts now, or when its turn comes. */
  offer(waiter: Waiter): void {
    const blocked = this.#blocked.get(waiter.orgId);
    // A cap may have grown meanwhile.
    if (blocked?.has(waiter) && this.#pool.isFullFor(waiter.orgId)) return;
    this.withdraw(waiter);
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

  /** Releases one slot: of the process now, of the organization when it has cooled down. */
  release(orgId: string, cooledDown?: Promise<void>): void {
    this.#pool.total--;
    if (!cooledDown) return this.#releaseOf(orgId);
    void cooledDown.then(() => this.#releaseOf(orgId));
    this.#grant();
  }

  /** Moves slow work to the overflow pool. False: it has no room, the work keeps its slot. */
  moveToOverflow(orgId: string): boolean {
    if (this.#overflow.isFull || this.#overflow.isFullFor(orgId)) return false;
    this.#overflow.add(orgId);
    this.release(orgId);
    return true;
  }

  /** Work in the overflow pool has ended. */
  releaseOverflow(orgId: string): void {
    this.#overflow.total--;
    this.#overflow.removeOf(orgId);
  }

  #releaseOf(orgId: string): void {
    this.#pool.removeOf(orgId);
    const blocked = this.#blocked.get(orgId);
    const [first] = blocked ?? [];
    if (blocked && first) {
      blocked.delete(first);
      this.#waiting.add(first);
    }
    if (blocked?.size === 0) this.#blocked.delete(orgId);
    this.#grant();
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
    // Acquired before `start`, since the work may end within it.
    this.#pool.add(orgId);
    if (!waiter.start()) return this.release(orgId);
    if (waiter.canStart) this.#waiting.add(waiter);
  }
}

/** One run, at the end of this tick, for all calls until then. */
export function onceATick(run: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      run();
    });
  };
}

type RunBatch<Item, Result> = (items: readonly Item[], key: string) => Promise<Result>;

interface Batch<Item, Result> {
  readonly items: Item[];
  readonly result: Promise<Result>;
}

/**
 * Batches the calls of one tick, by key. A process acquires its share of every kind's partitions in
 * one tick, which would be hundreds of queries.
 */
export class Batcher<Item, Result> {
  readonly #run: RunBatch<Item, Result>;
  readonly #itemsMax: number;
  /** Of this tick; a full batch is followed by another one. */
  readonly #open = new Map<string, Batch<Item, Result>>();

  constructor(run: RunBatch<Item, Result>, itemsMax = Number.POSITIVE_INFINITY) {
    this.#run = run;
    this.#itemsMax = itemsMax;
  }

  /** The result of this tick's batch of the key, which runs after this call. */
  add(item: Item, key = ''): Promise<Result> {
    const open = this.#open.get(key);
    const batch = open && open.items.length < this.#itemsMax ? open : this.#begin(key);
    batch.items.push(item);
    return batch.result;
  }

  #begin(key: string): Batch<Item, Result> {
    const items: Item[] = [];
    const result = new Promise<void>((resume) => setImmediate(resume)).then(() => {
      if (this.#open.get(key) === batch) this.#open.delete(key);
      return this.#run(items, key);
    });
    const batch = { items, result };
    this.#open.set(key, batch);
    return batch;
  }
}

/** Mutex per key: work under one key runs one at a time, in the order of the calls. */
export class KeyedMutex {
  /** An entry lasts as long as work of its key. */
  readonly #tails = new Map<string, Promise<void>>();

  get size(): number {
    return this.#tails.size;
  }

  async runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(key, promise);
    try {
      await before;
      return await work();
    } finally {
      if (this.#tails.get(key) === promise) this.#tails.delete(key);
      resolve();
    }
  }
}
