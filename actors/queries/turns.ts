/**
 * Round robin of organizations: so many works at one moment, and the next is of the organization
 * that has waited longest for its turn. One that asks for much waits for itself.
 */

interface Waiting {
  readonly begin: () => void;
}

export class RoundRobin {
  readonly #atOnce: number;
  /** The organization whose turn is next first; none without anything that waits. */
  readonly #waiting = new Map<string, Waiting[]>();
  #underWay = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async take<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    if (this.#underWay < this.#atOnce) this.#underWay += 1;
    else await this.#wait(orgId);
    try {
      return await work();
    } finally {
      if (!this.#beginNext()) this.#underWay -= 1;
    }
  }

  #wait(orgId: string): Promise<void> {
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    const mine = this.#waiting.get(orgId);
    if (mine) mine.push({ begin });
    else this.#waiting.set(orgId, [{ begin }]);
    return promise;
  }

  /** The place goes from one to the next. */
  #beginNext(): boolean {
    for (const [orgId, waiting] of this.#waiting) {
      const next = waiting.shift();
      this.#waiting.delete(orgId);
      if (waiting.length > 0) this.#waiting.set(orgId, waiting);
      if (!next) continue;
      next.begin();
      return true;
    }
    return false;
  }
}
