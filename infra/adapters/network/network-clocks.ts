/**
 * Clocks of networks, by the `Date` of their answers, which is of now. The time in a webhook is
 * not: a bridge repeats it unchanged for hours.
 */
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

const ORIGINS_MAX = 10_000;

export class NetworkClocks {
  readonly #clock: Pick<Clock, 'now'>;
  /** Milliseconds by which the clock is behind ours, by origin. */
  readonly #behind = new GenerationalCache<string, number>(ORIGINS_MAX);

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** An answer without a usable `Date` changes nothing. */
  note(origin: string, date: string | string[] | undefined): void {
    if (typeof date !== 'string') return;
    const theirs = Date.parse(date);
    if (!Number.isNaN(theirs)) this.#behind.set(origin, this.#clock.now() - theirs);
  }

  behindMs(origin: string): number | null {
    return this.#behind.get(origin) ?? null;
  }
}
