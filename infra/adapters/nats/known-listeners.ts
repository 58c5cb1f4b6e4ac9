/** Processes that listen for live hints, as they announce themselves. */

/** Longer than two announcements. */
const FORGET_MS = 12_000;

export interface Announced {
  readonly processId: string;
  /** All for which it listens. */
  readonly orgIds: readonly string[];
}

interface Listener {
  readonly orgIds: ReadonlySet<string>;
  readonly until: number;
  /** False once it was waited for in vain, until it announces itself again. */
  answers: boolean;
}

export class KnownListeners {
  readonly #now: () => number;
  readonly #listeners = new Map<string, Listener>();

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  learn({ processId, orgIds }: Announced): void {
    const now = this.#now();
    for (const [known, { until }] of this.#listeners) {
      if (until < now) this.#listeners.delete(known);
    }
    if (orgIds.length === 0) this.#listeners.delete(processId);
    else {
      const until = now + FORGET_MS;
      this.#listeners.set(processId, { orgIds: new Set(orgIds), until, answers: true });
    }
  }

  has(orgId: string): boolean {
    const now = this.#now();
    for (const { orgIds, until } of this.#listeners.values()) {
      if (until >= now && orgIds.has(orgId)) return true;
    }
    return false;
  }

  /** Ids of the processes that are expected to acknowledge. */
  answering(orgId: string): readonly string[] {
    const now = this.#now();
    const isExpected = ({ orgIds, until, answers }: Listener): boolean =>
      answers && until >= now && orgIds.has(orgId);
    return [...this.#listeners].flatMap(([id, listener]) => (isExpected(listener) ? [id] : []));
  }

  silent(processId: string): void {
    const listener = this.#listeners.get(processId);
    if (listener) listener.answers = false;
  }
}
