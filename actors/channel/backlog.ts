/** Flow control of a channel's backlog: memory holds the oldest messages, the store the rest. */
import type { ConversationQueues } from './conversation-queues.ts';

/** Below this number of held messages the sender needs a refill. */
const REFILL_BELOW = 1_000;
const HELD_MAX = 20_000;
/** Replies that may exceed `HELD_MAX` while first contacts are held back. */
const PASSING_MAX = 1_000;

export class Backlog {
  readonly #queues: ConversationQueues;
  /** False while the store may hold more messages than memory. */
  hasAll = true;

  constructor(queues: ConversationQueues) {
    this.#queues = queues;
  }

  get hasEnough(): boolean {
    return this.#queues.size >= REFILL_BELOW;
  }

  /**
   * Adds a queued message. Behind a long backlog it stays in the store, unless it `passes` messages
   * that are held back.
   */
  offer(queued: Parameters<ConversationQueues['add']>[0], passes = false): void {
    if (this.#queues.size >= HELD_MAX) this.hasAll = false;
    const mayPass = passes && this.#queues.size < HELD_MAX + PASSING_MAX;
    if (this.hasAll || !this.hasEnough || mayPass) this.#queues.add(queued);
  }

  /**
   * True when memory has room for more messages. It answers true once, until the next read sets
   * `hasAll`.
   */
  needsRefill(): boolean {
    const needed = !this.hasAll && !this.hasEnough;
    if (needed) this.hasAll = true;
    return needed;
  }
}
