/** How much of what waits for a channel is in hand: of a long backlog the oldest. */
import type { Lanes } from './lanes.ts';

/** With fewer messages than these in hand it takes more. */
const ENOUGH = 1_000;
const HELD_MAX = 20_000;
/** Beyond those in hand: replies, while first contacts are held back. */
const PASSING_MAX = 1_000;

export class Backlog {
  readonly #lanes: Lanes;
  /** False while the store holds more than is in hand. */
  hasAll = true;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  get hasEnough(): boolean {
    return this.#lanes.size >= ENOUGH;
  }

  /**
   * A message was queued. One that comes to a backlog waits behind it, in the store; `passes`:
   * unless the backlog is held back and it is not.
   */
  offer(queued: Parameters<Lanes['add']>[0], passes = false): void {
    if (this.#lanes.size >= HELD_MAX) this.hasAll = false;
    const mayPass = passes && this.#lanes.size < HELD_MAX + PASSING_MAX;
    if (this.hasAll || !this.hasEnough || mayPass) this.#lanes.add(queued);
  }

  /** True when there is room for more; once, until the next reading tells anew. */
  isHungry(): boolean {
    const hungry = !this.hasAll && !this.hasEnough;
    if (hungry) this.hasAll = true;
    return hungry;
  }
}
