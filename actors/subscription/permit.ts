/**
 * Permit of one attempt. It holds a semaphore slot from the claim on, and a place in the limiter
 * from the POST until the subscriber answers. A slow attempt moves to the overflow pool, so that
 * its slot serves subscribers that answer.
 */
import { DELIVERY_SLOW_MS } from '../../shared/limits.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { FairSemaphore } from './fair-semaphore.ts';
import { InFlightLimiter } from './in-flight-limiter.ts';

interface PermitOptions {
  readonly semaphore: FairSemaphore;
  readonly limiter: InFlightLimiter;
  readonly orgId: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly onRelease: () => void;
}

export class Permit {
  readonly #options: PermitOptions;
  #posting = false;
  #isSlow = false;
  #inOverflow = false;
  #released = false;
  #cancel: () => void = () => undefined;

  constructor(options: PermitOptions) {
    this.#options = options;
  }

  /** True when the POST may start; false: the claim must be released. */
  async acquirePost(): Promise<boolean> {
    const { limiter, clock, semaphore, orgId } = this.#options;
    this.#posting = await limiter.acquire();
    if (!this.#posting) return false;
    this.#cancel = clock.after(DELIVERY_SLOW_MS, () => {
      if (this.#released) return;
      this.#isSlow = true;
      this.#inOverflow = semaphore.moveToOverflow(orgId);
      limiter.markSlow();
    });
    return true;
  }

  /** A repeated call does nothing. */
  release(succeeded: boolean): void {
    if (this.#released) return;
    this.#released = true;
    this.#cancel();
    const { semaphore, limiter, orgId, onRelease } = this.#options;
    if (this.#posting) limiter.release({ isSlow: this.#isSlow, succeeded });
    onRelease();
    if (this.#inOverflow) semaphore.releaseOverflow(orgId);
    else semaphore.release(orgId);
  }
}

/** The permits of one subscription's attempts. */
export class Permits {
  readonly #options: Pick<PermitOptions, 'semaphore' | 'clock'>;
  readonly #onFree: () => void;
  readonly #limiter = new InFlightLimiter();
  #inUse = 0;

  constructor({
    onFree,
    ...options
  }: Pick<PermitOptions, 'semaphore' | 'clock'> & { onFree: () => void }) {
    this.#options = options;
    this.#onFree = onFree;
  }

  get available(): boolean {
    return this.#inUse < this.#limiter.limit;
  }

  /** For an attempt that has a slot. */
  acquire(orgId: string): Permit {
    this.#inUse++;
    const onRelease = (): void => {
      this.#inUse--;
      this.#onFree();
    };
    return new Permit({ ...this.#options, limiter: this.#limiter, orgId, onRelease });
  }
}
