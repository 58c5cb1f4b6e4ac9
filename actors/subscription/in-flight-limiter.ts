/**
 * How many POSTs one subscriber has before it at once, and how far ahead attempts are claimed.
 *
 * 1. At most 8 are posted at once; whoever is claimed beyond that waits here.
 * 2. Attempts are claimed ahead only for a subscriber that answers, and at once: a claim takes
 *    longer than such a POST, and 8 claims at a time were 250 deliveries/s.
 * 3. When one POST lasts, those that wait are turned away: their claims are given back, so that a
 *    crash does not spend attempts that nobody was about to make.
 */
import { DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION } from '../../shared/limits.ts';

const CLAIMED_AHEAD_MAX = 32;

export class InFlightLimiter {
  #posting = 0;
  #slow = 0;
  /** Whether the last POST that ended was a success. */
  #lastSucceeded = false;
  #waiting: ((granted: boolean) => void)[] = [];

  /** How many attempts may be claimed or posted now. */
  get limit(): number {
    const prompt = this.#lastSucceeded && this.#slow === 0;
    return prompt ? CLAIMED_AHEAD_MAX : DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION;
  }

  /** True when it may be posted; false when it is turned away. */
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

  /** One that has entered is not answered at once. */
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
