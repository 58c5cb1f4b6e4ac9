/**
 * Fair queue of work that waits: organizations take turns, one piece of work at a time.
 *
 * 1. Never more than the process's cap are under way, nor more of one organization than its cap.
 * 2. Between two turns of an organization every other one that waits and may start has had one.
 * 3. While other organizations call, an organization has a smaller cap: its backlog is background.
 * 4. An organization that rests after a turn keeps its own place meanwhile, not the process's.
 */
export interface Caps {
  readonly perOrganization: number;
  readonly perProcess: number;
  /** Of an organization while others call; its whole cap where it is absent. */
  readonly besideCalls?: number;
}

export interface Turn {
  /** Neither promise ever rejects. */
  readonly ended: Promise<void>;
  /** When the organization may have the next turn in this one's place; at once where absent. */
  readonly rested?: Promise<void>;
}

export type IsBesideCalls = (orgId: string) => boolean;

export class FairTurns {
  readonly #caps: Caps;
  readonly #start: (key: string) => Turn | null;
  readonly #isBesideCalls: IsBesideCalls;
  /** By organization, in the order of their turns. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #underWay = new Map<string, number>();
  #total = 0;
  #turning = false;

  /** `start` answers null where there is nothing to start after all. */
  constructor(
    caps: Caps,
    start: (key: string) => Turn | null,
    isBesideCalls: IsBesideCalls = () => false,
  ) {
    this.#caps = caps;
    this.#start = start;
    this.#isBesideCalls = isBesideCalls;
  }

  /** The key is started now, or when its organization's turn comes; once, however often offered. */
  offer(orgId: string, key: string): void {
    const keys = this.#waiting.get(orgId);
    if (keys) keys.add(key);
    else this.#waiting.set(orgId, new Set([key]));
    this.#turn();
  }

  withdraw(orgId: string, key: string): void {
    const keys = this.#waiting.get(orgId);
    if (keys?.delete(key) && keys.size === 0) this.#waiting.delete(orgId);
  }

  #turn(): void {
    // `start` may offer: the loop that is running sees to that too.
    if (this.#turning) return;
    this.#turning = true;
    while (this.#total < this.#caps.perProcess) {
      const next = this.#next();
      if (!next) break;
      this.#begin(next.orgId, next.key);
    }
    this.#turning = false;
  }

  #next(): { readonly orgId: string; readonly key: string } | null {
    for (const [orgId, keys] of this.#waiting) {
      if ((this.#underWay.get(orgId) ?? 0) >= this.#capOf(orgId)) continue;
      const [key = ''] = keys;
      keys.delete(key);
      this.#waiting.delete(orgId);
      if (keys.size > 0) this.#waiting.set(orgId, keys);
      return { orgId, key };
    }
    return null;
  }

  #capOf(orgId: string): number {
    const { perOrganization, besideCalls = perOrganization } = this.#caps;
    return this.#isBesideCalls(orgId) ? besideCalls : perOrganization;
  }

  #begin(orgId: string, key: string): void {
    const started = this.#start(key);
    if (!started) return;
    this.#total++;
    this.#underWay.set(orgId, (this.#underWay.get(orgId) ?? 0) + 1);
    void started.ended.then(() => {
      this.#total--;
      this.#turn();
    });
    void (started.rested ?? started.ended).then(() => {
      const left = (this.#underWay.get(orgId) ?? 1) - 1;
      if (left > 0) this.#underWay.set(orgId, left);
      else this.#underWay.delete(orgId);
      this.#turn();
    });
  }
}
