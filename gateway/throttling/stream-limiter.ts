/**
 * Limiter of streamed bodies that this gateway writes at the same time, per organization. Each
 * stream holds one part for as long as its peer reads. A further stream waits, and holds nothing
 * meanwhile.
 */
import { STREAMS_PER_ORGANIZATION } from '../../shared/limits.ts';
import type { Clock } from '../../shared/ports/clock.ts';

export class StreamLimiter {
  readonly #clock: Clock;
  readonly #perOrganization: number;
  /** Open streams, by organization; no entry is zero. */
  readonly #open = new Map<string, number>();
  /** At most one for each open call, which gets 500 `overloaded` at its deadline. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(clock: Clock, perOrganization = STREAMS_PER_ORGANIZATION) {
    this.#clock = clock;
    this.#perOrganization = perOrganization;
  }

  /** The function that releases the slot, at most once; null while no slot is free. */
  tryAcquire(orgId: string): (() => void) | null {
    const open = this.#open.get(orgId) ?? 0;
    if (open >= this.#perOrganization) return null;
    this.#open.set(orgId, open + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(orgId);
    };
  }

  /** Takes a place as soon as there is one; null when there is none within `ms`. */
  async acquire(orgId: string, ms: number): Promise<(() => void) | null> {
    const until = this.#clock.monotonic() + ms;
    for (;;) {
      const end = this.tryAcquire(orgId);
      const leftMs = until - this.#clock.monotonic();
      if (end || leftMs <= 0) return end;
      await this.waitForPermit(orgId, leftMs);
    }
  }

  /** Resolves when a place may be free, or after `ms`. */
  async waitForPermit(orgId: string, ms: number): Promise<void> {
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

  #release(orgId: string): void {
    const open = (this.#open.get(orgId) ?? 1) - 1;
    if (open > 0) this.#open.set(orgId, open);
    else this.#open.delete(orgId);
    this.#waiting.get(orgId)?.shift()?.();
  }
}
