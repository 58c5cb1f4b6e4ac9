/** A clock that the test moves; no timer of it ever ends. */
import type { Clock } from '../../../shared/ports/clock.ts';

/** Epoch milliseconds. */
export const BEGIN = Date.UTC(2026, 10, 20, 12);

export class StillClock implements Clock {
  #now = BEGIN;
  readonly now = (): number => this.#now;
  readonly monotonic = (): number => this.#now;
  readonly after = () => (): void => undefined;

  pass(ms: number): void {
    this.#now += ms;
  }
}
