/** Timer that wakes a delivery worker; a new time replaces the one before. */
import type { Clock } from '../../shared/ports/clock.ts';

export const AGAIN_MS = 1_000;

export class WakeTimer {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #run: () => void;
  #cancel: () => void = () => undefined;
  #ended = false;

  constructor(clock: Pick<Clock, 'after'>, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  wakeIn(ms: number): void {
    this.#cancel();
    if (!this.#ended) this.#cancel = this.#clock.after(ms, this.#run);
  }

  end(): void {
    this.#ended = true;
    this.#cancel();
  }
}
