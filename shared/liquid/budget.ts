/**
 * Budget of one step of a run, in units that every process counts alike: a part of a template, a
 * round of a loop, an item that a filter reads, a condition. Longer work has more units.
 *
 * 1. All templates and conditions of a step share one budget. Without the sum, a step of a thousand
 *    fields with a loop each would hold the event loop for minutes, past the lease of its owner,
 *    and then that of the next one.
 * 2. A turn executes one step: the step's budget is also the turn's.
 * 3. The steps of a run add up in the run. Beyond either limit the run ends.
 */
import { FLOW_CHARS_PER_UNIT, FLOW_RUN_UNITS_MAX, FLOW_STEP_UNITS_MAX } from '../limits.ts';

export class Budget {
  readonly #most: number;
  #spent = 0;

  /** @param before units that the run's earlier steps have spent */
  constructor(before = 0) {
    this.#most = Math.min(FLOW_STEP_UNITS_MAX, FLOW_RUN_UNITS_MAX - before);
  }

  get spent(): number {
    return Math.ceil(this.#spent);
  }

  get exceeded(): boolean {
    return this.#spent > this.#most;
  }

  /** False beyond the budget. */
  spend(units: number): boolean {
    this.#spent += units;
    return !this.exceeded;
  }

  spendChars(chars: number): boolean {
    return this.spend(chars / FLOW_CHARS_PER_UNIT);
  }

  /** What the rest would have cost is unknown: the time has run out first. */
  exhaust(): void {
    this.#spent = Math.max(this.#spent, this.#most) + 1;
  }
}
