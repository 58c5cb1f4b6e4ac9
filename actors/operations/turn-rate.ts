/**
 * Turn rate: turns per second over the last five to ten seconds, or over a shorter process life.
 */
import type { Clock } from '../../shared/ports/clock.ts';

const SAMPLE_MS = 5_000;
const SAMPLES = 2;

interface Sample {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly turns: number;
}

export class TurnRate {
  readonly #clock: Clock;
  readonly #turns: () => number;
  readonly #samples: Sample[] = [];
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, turns: () => number) {
    this.#clock = clock;
    this.#turns = turns;
    this.#sample();
  }

  perSecond(): number {
    const [first] = this.#samples;
    if (!first) return 0;
    const ms = Math.max(1, this.#clock.monotonic() - first.at);
    return Math.round(((this.#turns() - first.turns) / ms) * 10_000) / 10;
  }

  close(): void {
    this.#cancel();
  }

  #sample(): void {
    this.#samples.push({ at: this.#clock.monotonic(), turns: this.#turns() });
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    this.#cancel = this.#clock.after(SAMPLE_MS, () => this.#sample());
  }
}
