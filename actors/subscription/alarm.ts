/** When a desk looks again without being told: at the last time that it was set to. */
import type { Clock } from '../../shared/ports.ts';

export const AGAIN_MS = 1_000;

export class Alarm {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #ring: () => void;
  #cancel: () => void = () => undefined;
  #ended = false;

  constructor(clock: Pick<Clock, 'after'>, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(ms: number): void {
    this.#cancel();
    if (!this.#ended) this.#cancel = this.#clock.after(ms, this.#ring);
  }

  end(): void {
    this.#ended = true;
    this.#cancel();
  }
}
