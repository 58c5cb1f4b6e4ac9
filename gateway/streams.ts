/**
 * Bodies in parts that this gateway writes at one moment: so many for each organization, since each
 * holds a part for as long as its peer reads. A further one waits, and holds nothing meanwhile.
 */
import { STREAMS_PER_ORGANIZATION } from '../shared/limits.ts';
import type { Clock } from '../shared/ports.ts';

export class Streams {
  readonly #clock: Clock;
  readonly #perOrganization: number;
  /** Under way, by organization; none of zero. */
  readonly #open = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(clock: Clock, perOrganization = STREAMS_PER_ORGANIZATION) {
    this.#clock = clock;
    this.#perOrganization = perOrganization;
  }

  /** What gives the place back, at most once; null while there is none. */
  take(orgId: string): (() => void) | null {
    const open = this.#open.get(orgId) ?? 0;
    if (open >= this.#perOrganization) return null;
    this.#open.set(orgId, open + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#give(orgId);
    };
  }

  /** Takes a place as soon as there is one; null when there is none within `ms`. */
  async waitFor(orgId: string, ms: number): Promise<(() => void) | null> {
    const until = this.#clock.monotonic() + ms;
    for (;;) {
      const end = this.take(orgId);
      const leftMs = until - this.#clock.monotonic();
      if (end || leftMs <= 0) return end;
      await this.freed(orgId, leftMs);
    }
  }

  /** Resolves when a place may be free, or after `ms`. */
  async freed(orgId: string, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(orgId) ?? [];
    this.#waiting.set(orgId, [...waiting, resolve]);
    const cancel = this.#clock.after(ms, resolve);
    await promise;
    cancel();
    const others = (this.#waiting.get(orgId) ?? []).filter((each) => each !== resolve);
    if (others.length > 0) this.#waiting.set(orgId, others);
    else this.#waiting.delete(orgId);
  }

  #give(orgId: string): void {
    const open = (this.#open.get(orgId) ?? 1) - 1;
    if (open > 0) this.#open.set(orgId, open);
    else this.#open.delete(orgId);
    this.#waiting.get(orgId)?.shift()?.();
  }
}
