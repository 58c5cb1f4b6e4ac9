/**
 * Limiter of one subscriber's POSTs in flight, and of the attempts that are claimed ahead.
 *
 * 1. At most 8 POSTs are in flight; further claimed attempts wait here.
 * 2. Attempts are claimed ahead only for a subscriber that answers promptly. A claim lasts longer
 *    than such a POST, and 8 claims at a time reach only 250 deliveries/s.
 * 3. When one POST is slow, waiting attempts are rejected and their claims released. A crash then
 *    spends no attempts that were only waiting.
 */
import { DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION } from '../../shared/limits.ts';

const CLAIMED_AHEAD_MAX = 32;

export class InFlightLimiter {
  #posting = 0;
  #slow = 0;
  /** Whether the last POST that ended was a success. */
  #lastSucceeded = false;
  #waiting: ((granted: boolean) => void)[] = [];

  /** The number of attempts that may be claimed or posted now. */
  get limit(): number {
    const prompt = this.#lastSucceeded && this.#slow === 0;
    return prompt ? CLAIMED_AHEAD_MAX : DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION;
  }

  /** True when the POST may start; false when the attempt is rejected. */
  acquire(): Promise<boolean> {
    if (this.#posting < DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION) {
      this.#posting++;
      return Promise.resolve(true);
    }
    if (this.#slow > 0) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** A POST in flight is slow: waiting attempts are rejected. */
  markSlow(): void {
    this.#slow++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(false);
  }

  release({ isSlow, succeeded }: { readonly isSlow: boolean; readonly succeeded: boolean }): void {
    if (isSlow) this.#slow--;
    this.#lastSucceeded = succeeded;
    const next = this.#waiting.shift();
    if (next) next(true);
    else this.#posting--;
  }
}
