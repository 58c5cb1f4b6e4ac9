/**
 * The timers that a process has in memory, by conversation, and how many of each organization: of a
 * backlog the store keeps the rest.
 */

export interface DueEntry {
  readonly conversationId: string;
  readonly orgId: string;
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface InHand extends DueEntry {
  /** Due, and waits for its turn; else it waits for its time. */
  readonly due: boolean;
  readonly cancel: () => void;
}

/** Of an organization, due: one with so many is left out when the agenda is read. */
export const DUE_PER_ORGANIZATION = 1_000;
/** With fewer in hand more of it is read. */
const LOW_WATER = DUE_PER_ORGANIZATION / 2;
/** Of an organization, of those that are due within half a minute. */
const NEAR_PER_ORGANIZATION = 1_000;
/** No organization's id. */
const ANYBODY = '';
/** Of a process. */
export const IN_HAND_MAX = 20_000;

export class TimersInHand {
  readonly #timers = new Map<string, InHand>();
  readonly #due = new Map<string, number>();
  readonly #near = new Map<string, number>();
  /** Organizations of which the store may hold more than is in hand. */
  readonly #more = new Set<string>();

  get size(): number {
    return this.#timers.size;
  }

  get full(): boolean {
    return this.#timers.size >= IN_HAND_MAX;
  }

  get(conversationId: string): InHand | undefined {
    return this.#timers.get(conversationId);
  }

  values(): Iterable<InHand> {
    return this.#timers.values();
  }

  /** `fresh`: of a turn just taken; the store would tell of it only behind its whole backlog. */
  hasRoom({ orgId }: DueEntry, { due, fresh }: { due: boolean; fresh: boolean }): boolean {
    if (this.full) return false;
    if (!due) return (this.#near.get(orgId) ?? 0) < NEAR_PER_ORGANIZATION;
    const most = fresh ? 2 * DUE_PER_ORGANIZATION : DUE_PER_ORGANIZATION;
    return (this.#due.get(orgId) ?? 0) < most;
  }

  put(timer: InHand): void {
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

  /** Not all of the organization's found room. */
  leave(orgId: string): void {
    this.#more.add(orgId);
  }

  /** A reading was cut short: the store may hold more of anybody's. */
  leaveRest(): void {
    this.#more.add(ANYBODY);
  }

  /** Organizations with enough in hand: they are left out of a reading, and read later. */
  leaveOut(): readonly string[] {
    const full = this.withEnough();
    for (const orgId of full) this.#more.add(orgId);
    return full;
  }

  withEnough(): readonly string[] {
    return [...this.#due].flatMap(([orgId, due]) => (due >= DUE_PER_ORGANIZATION ? [orgId] : []));
  }

  /** A reading begins: what it leaves is told anew. */
  beginReading(): void {
    this.#more.clear();
  }

  /** Whether there is room again for what was left of an organization. */
  wantsMore(): boolean {
    if (this.size >= IN_HAND_MAX / 2) return false;
    for (const orgId of this.#more) if ((this.#due.get(orgId) ?? 0) < LOW_WATER) return true;
    return false;
  }

  #countsOf({ due }: InHand): Map<string, number> {
    return due ? this.#due : this.#near;
  }
}

function count(counts: Map<string, number>, orgId: string, by: number): void {
  const now = (counts.get(orgId) ?? 0) + by;
  if (now > 0) counts.set(orgId, now);
  else counts.delete(orgId);
}
