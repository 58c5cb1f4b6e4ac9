/**
 * Fair scheduler of work that waits: organizations alternate, one piece of work at a time.
 *
 * 1. The work under way never exceeds the process's cap, nor that of an organization its cap.
 * 2. Between two turns of an organization, every other one that waits and may start has had one.
 * 3. While other organizations call, an organization has a smaller cap: its backlog is background.
 * 4. An organization that cools down after a turn still uses its own cap, but not the process's.
 */
export interface ConcurrencyLimits {
  readonly perOrganization: number;
  readonly perProcess: number;
  /** Cap of an organization while others call; its whole cap where absent. */
  readonly whileContended?: number;
}

export interface StartedWork {
  /** Neither promise ever rejects. */
  readonly ended: Promise<void>;
  /** When the organization may have another turn in place of this one; `ended` where absent. */
  readonly cooledDown?: Promise<void>;
}

export type IsContended = (orgId: string) => boolean;

export class FairScheduler {
  readonly #limits: ConcurrencyLimits;
  readonly #start: (key: string) => StartedWork | null;
  readonly #isContended: IsContended;
  /** By organization, in the order of their turns. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #inFlight = new Map<string, number>();
  #total = 0;
  #dispatching = false;

  /** `start` returns null when there is nothing to start after all. */
  constructor(
    limits: ConcurrencyLimits,
    start: (key: string) => StartedWork | null,
    isContended: IsContended = () => false,
  ) {
    this.#limits = limits;
    this.#start = start;
    this.#isContended = isContended;
  }

  /** Starts the key now, or when its organization's turn comes; once, however often enqueued. */
  enqueue(orgId: string, key: string): void {
    const keys = this.#waiting.get(orgId);
    if (keys) keys.add(key);
    else this.#waiting.set(orgId, new Set([key]));
    this.#dispatch();
  }

  cancel(orgId: string, key: string): void {
    const keys = this.#waiting.get(orgId);
    if (keys?.delete(key) && keys.size === 0) this.#waiting.delete(orgId);
  }

  #dispatch(): void {
    // `start` may enqueue: the running loop handles that too.
    if (this.#dispatching) return;
    this.#dispatching = true;
    while (this.#total < this.#limits.perProcess) {
      const next = this.#next();
      if (!next) break;
      this.#begin(next.orgId, next.key);
    }
    this.#dispatching = false;
  }

  #next(): { readonly orgId: string; readonly key: string } | null {
    for (const [orgId, keys] of this.#waiting) {
      if ((this.#inFlight.get(orgId) ?? 0) >= this.#limitOf(orgId)) continue;
      const [key = ''] = keys;
      keys.delete(key);
      this.#waiting.delete(orgId);
      if (keys.size > 0) this.#waiting.set(orgId, keys);
      return { orgId, key };
    }
    return null;
  }

  #limitOf(orgId: string): number {
    const { perOrganization, whileContended = perOrganization } = this.#limits;
    return this.#isContended(orgId) ? whileContended : perOrganization;
  }

  #begin(orgId: string, key: string): void {
    const started = this.#start(key);
    if (!started) return;
    this.#total++;
    this.#inFlight.set(orgId, (this.#inFlight.get(orgId) ?? 0) + 1);
    void started.ended.then(() => {
      this.#total--;
      this.#dispatch();
    });
    void (started.cooledDown ?? started.ended).then(() => {
      const left = (this.#inFlight.get(orgId) ?? 1) - 1;
      if (left > 0) this.#inFlight.set(orgId, left);
      else this.#inFlight.delete(orgId);
      this.#dispatch();
    });
  }
}
