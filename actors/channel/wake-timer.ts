/** Single timer: setting it again cancels the earlier setting. */
import type { Clock } from '../../shared/ports/clock.ts';

/** A timer with a much longer wait would fire at once. */
const LONGEST_MS = 60 * 60 * 1000;

export class WakeTimer {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #run: () => void;
  #cancel: (() => void) | null = null;
  #ended = false;

  constructor(clock: Pick<Clock, 'after'>, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Runs after `ms`, or after an hour if that is earlier. */
  wakeIn(ms: number): void {
    this.#cancel?.();
    if (!this.#ended) this.#cancel = this.#clock.after(Math.min(ms, LONGEST_MS), this.#run);
  }

  end(): void {
    this.#ended = true;
    this.#cancel?.();
  }
}
