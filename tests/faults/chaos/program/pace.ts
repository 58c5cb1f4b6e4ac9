/**
 * Pauses of a run's workers. A run beside other work has a pace above 1. After its last fault such
 * a run asks less where answers take long: a machine at its limit would never answer all.
 */
import { setTimeout } from 'node:timers/promises';

/** The mean follows the last calls. */
const CALLS = 16;
const LONGEST_MS = 10_000;

export class Pace {
  readonly #pace: number;
  #answerMs = 0;
  #hasHealed = false;

  /** @param pace pauses last so many times their own length */
  constructor(pace: number) {
    this.#pace = pace;
  }

  /** A call took so long, answered or not. */
  took(ms: number): void {
    this.#answerMs += (ms - this.#answerMs) / CALLS;
  }

  /** The last fault is over. */
  healed(): void {
    this.#hasHealed = true;
    // The answers of the faults tell nothing of the machine.
    this.#answerMs = 0;
  }

  pause(ms: number): Promise<void> {
    return setTimeout(this.msOf(ms));
  }

  /** How long a pause of `ms` lasts now. */
  msOf(ms: number): number {
    const relief = this.#hasHealed ? (this.#pace - 1) * this.#answerMs : 0;
    return Math.max(ms * this.#pace, Math.min(relief, LONGEST_MS));
  }
}
