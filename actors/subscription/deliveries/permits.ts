/** Permits of one subscription's attempts: slots that all share, and a limit of its own. */
import { DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION, DELIVERY_SLOW_MS } from '../../../shared/limits.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { FairSemaphore } from '../../runtime/concurrency.ts';

/**
 * Permit of one attempt: a semaphore slot from the claim on, and a place in the limiter during the
 * POST. A slow attempt moves to the overflow pool: its slot serves subscribers that answer.
 */
export interface Permit {
  /** True when the POST may start; false: the claim must be released. */
  acquirePost(): Promise<boolean>;
  /** A repeated call does nothing. */
  release(succeeded: boolean): void;
}

interface PermitsOptions {
  readonly semaphore: FairSemaphore;
  readonly clock: Pick<Clock, 'after'>;
  readonly onFree: () => void;
}

/** The permits of one subscription's attempts. */
export class Permits {
  readonly #options: PermitsOptions;
  readonly #limiter = new InFlightLimiter();
  #inUse = 0;

  constructor(options: PermitsOptions) {
    this.#options = options;
  }

  get available(): boolean {
    return this.#inUse < this.#limiter.limit;
  }

  /** For an attempt that has a slot. */
  acquire(orgId: string): Permit {
    const { semaphore, clock, onFree } = this.#options;
    const limiter = this.#limiter;
    let posting = false;
    let isSlow = false;
    let inOverflow = false;
    let released = false;
    let cancel = (): void => undefined;
    const acquirePost = async (): Promise<boolean> => {
      posting = await limiter.acquire();
      if (!posting) return false;
      cancel = clock.after(DELIVERY_SLOW_MS, () => {
        if (released) return;
        isSlow = true;
        inOverflow = semaphore.moveToOverflow(orgId);
        limiter.markSlow();
      });
      return true;
    };
    const release = (succeeded: boolean): void => {
      if (released) return;
      released = true;
      cancel();
      if (posting) limiter.release({ isSlow, succeeded });
      this.#inUse--;
      onFree();
      if (inOverflow) semaphore.releaseOverflow(orgId);
      else semaphore.release(orgId);
    };
    this.#inUse++;
    return { acquirePost, release };
  }
}

/** Attempts claimed or posted; those beyond the POSTs in flight wait in memory. */
const CLAIMED_AHEAD_MAX = 32;

/**
 * Limiter of one subscriber's POSTs in flight, and of the attempts that are claimed ahead.
 *
 * 1. At most 8 POSTs are in flight; further claimed attempts wait here.
 * 2. Attempts are claimed ahead only for a subscriber that answers promptly. A claim lasts longer
 *    than such a POST, and 8 claims at a time reach only 250 deliveries/s.
 * 3. When one POST is slow, waiting attempts are rejected and their claims released. A crash then
 *    spends no attempts that were only waiting.
 */
class InFlightLimiter {
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
