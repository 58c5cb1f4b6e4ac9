/**
 * Buffer of a process's timers, by conversation, with their number per organization. The rest of a
 * backlog stays in the store, from which it is read in pages.
 */

/** The part of a timer by which it is buffered. */
interface TimerKey {
  readonly conversationId: string;
  readonly orgId: string;
}

type Buffered<Timer> = Timer & {
  /** True: it is due and queued for its organization's turn. False: it waits for its time. */
  readonly due: boolean;
  readonly cancel: () => void;
};

/** Due timers of an organization; the read of the agenda excludes an organization with so many. */
const DUE_PER_ORGANIZATION = 1_000;
/** With fewer due timers the organization's agenda is read again. */
const LOW_WATER = DUE_PER_ORGANIZATION / 2;
/** Timers of an organization due within half a minute. As many again may be due before a poll. */
const NEAR_PER_ORGANIZATION = 1_000;
/** No organization has this id. */
const ANY_ORGANIZATION = '';
/** Timers of a process. */
export const BUFFERED_MAX = 20_000;

interface Timing {
  readonly due: boolean;
  /** Set by a turn of this process: the store would return it only after its whole backlog. */
  readonly fresh: boolean;
}

export class TimerBuffer<Timer extends TimerKey> {
  readonly #timers = new Map<string, Buffered<Timer>>();
  readonly #due = new Map<string, number>();
  readonly #near = new Map<string, number>();
  /** Organizations with more in the store that is due, or soon will be. */
  readonly #moreDue = new Set<string>();
  readonly #moreNear = new Set<string>();

  get size(): number {
    return this.#timers.size;
  }

  get full(): boolean {
    return this.#timers.size >= BUFFERED_MAX;
  }

  get(conversationId: string): Buffered<Timer> | undefined {
    return this.#timers.get(conversationId);
  }

  values(): Iterable<Buffered<Timer>> {
    return this.#timers.values();
  }

  hasCapacity({ orgId }: TimerKey, { due, fresh }: Timing): boolean {
    if (this.full) return false;
    if (due) return of(this.#due, orgId) < (fresh ? 2 : 1) * DUE_PER_ORGANIZATION;
    return of(this.#near, orgId) < (fresh ? 1 : 2) * NEAR_PER_ORGANIZATION;
  }

  put(timer: Buffered<Timer>): void {
    this.remove(timer.conversationId);
    this.#timers.set(timer.conversationId, timer);
    count(this.#countsOf(timer), timer.orgId, 1);
  }

  remove(conversationId: string): void {
    const timer = this.#timers.get(conversationId);
    if (!timer) return;
    timer.cancel();
    this.#timers.delete(conversationId);
    count(this.#countsOf(timer), timer.orgId, -1);
  }

  /** Notes that a timer found no room. A fresh one that is not due yet will be read in time. */
  defer({ orgId }: TimerKey, { due, fresh }: Timing): void {
    if (due) this.#moreDue.add(orgId);
    else if (!fresh) this.#moreNear.add(orgId);
  }

  /** Notes that a read ended early: the store may hold more of any organization. */
  deferRest(): void {
    this.#moreDue.add(ANY_ORGANIZATION);
  }

  /** Organizations with enough timers in memory: a later read has the rest of them. */
  exclude(): readonly string[] {
    const saturated = this.saturated();
    for (const orgId of saturated) {
      const due = of(this.#due, orgId) >= DUE_PER_ORGANIZATION;
      (due ? this.#moreDue : this.#moreNear).add(orgId);
    }
    return saturated;
  }

  saturated(): readonly string[] {
    const due = [...this.#due].filter(([, count]) => count >= DUE_PER_ORGANIZATION);
    const near = [...this.#near].filter(([, count]) => count >= 2 * NEAR_PER_ORGANIZATION);
    return [...new Set([...due, ...near].map(([orgId]) => orgId))];
  }

  /** Begins a read, which notes again what it leaves in the store. */
  beginReading(): void {
    this.#moreDue.clear();
    this.#moreNear.clear();
  }

  /** Whether there is room again for timers that were left in the store. */
  needsRefill(): boolean {
    if (this.size >= BUFFERED_MAX / 2) return false;
    const isLow = (orgId: string): boolean => of(this.#due, orgId) < LOW_WATER;
    const hasFired = (orgId: string): boolean => of(this.#near, orgId) < NEAR_PER_ORGANIZATION;
    for (const orgId of this.#moreDue) if (isLow(orgId)) return true;
    for (const orgId of this.#moreNear) if (isLow(orgId) && hasFired(orgId)) return true;
    return false;
  }

  #countsOf({ due }: Buffered<Timer>): Map<string, number> {
    return due ? this.#due : this.#near;
  }
}

function of(counts: ReadonlyMap<string, number>, orgId: string): number {
  return counts.get(orgId) ?? 0;
}

function count(counts: Map<string, number>, orgId: string, by: number): void {
  const now = of(counts, orgId) + by;
  if (now > 0) counts.set(orgId, now);
  else counts.delete(orgId);
}
