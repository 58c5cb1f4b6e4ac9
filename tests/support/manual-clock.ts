/** A clock that moves only when the test says so. */
import type { Clock } from '../../shared/ports/clock.ts';

export class ManualClock implements Clock {
  #now = Date.UTC(2026, 10, 20, 12);
  /** By which the wall clock is behind. */
  #behindMs = 0;
  #timers = new Set<{ readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now - this.#behindMs;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Sets the wall clock back; monotonic time goes on. */
  setBack(ms: number): void {
    this.#behindMs += ms;
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Until the next timer is due; endless, if none waits. */
  get idleMs(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { at } of this.#timers) first = Math.min(first, at);
    return first - this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.run();
    }
  }
}
