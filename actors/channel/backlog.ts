/** How much of what waits for a channel is in hand: of a long backlog the oldest. */
import type { ConversationQueues } from './conversation-queues.ts';

/** With fewer messages than these in hand it takes more. */
const REFILL_BELOW = 1_000;
const HELD_MAX = 20_000;
/** Beyond those in hand: replies, while first contacts are held back. */
const PASSING_MAX = 1_000;

export class Backlog {
  readonly #queues: ConversationQueues;
  /** False while the store holds more than is in hand. */
  hasAll = true;

  constructor(queues: ConversationQueues) {
    this.#queues = queues;
  }

  get hasEnough(): boolean {
    return this.#queues.size >= REFILL_BELOW;
  }

  /**
   * A message was queued. One that comes to a backlog waits behind it, in the store; `passes`:
   * unless the backlog is held back and it is not.
   */
  offer(queued: Parameters<ConversationQueues['add']>[0], passes = false): void {
    if (this.#queues.size >= HELD_MAX) this.hasAll = false;
    const mayPass = passes && this.#queues.size < HELD_MAX + PASSING_MAX;
    if (this.hasAll || !this.hasEnough || mayPass) this.#queues.add(queued);
  }

  /** True when there is room for more; once, until the next reading tells anew. */
  needsRefill(): boolean {
    const needed = !this.hasAll && !this.hasEnough;
    if (needed) this.hasAll = true;
    return needed;
  }
}
