/**
 * Sends that the network does not answer, by conversation: since when the oldest of them has failed
 * without a break. A conversation whose send waits for another reason, or has ended, is left out.
 */
import type { NetworkFault } from '../../shared/network-fault.ts';

/** A number in trouble tries one message at a time: more than these tell nothing new. */
const FAILING_MAX = 64;

export interface Failing {
  /** Epoch milliseconds. */
  readonly since: number;
  /** That of the newest failure. */
  readonly fault: NetworkFault;
}

export class FailingSends {
  /** When the send of each failed first, oldest first. */
  readonly #since = new Map<string, number>();
  #fault: NetworkFault | null = null;

  failed(conversationId: string, fault: NetworkFault, now: number): void {
    this.#fault = fault;
    if (this.#since.has(conversationId) || this.#since.size >= FAILING_MAX) return;
    this.#since.set(conversationId, now);
  }

  /** Its send does not fail any more, or is no more. */
  ended(conversationId: string): void {
    this.#since.delete(conversationId);
  }

  clear(): void {
    this.#since.clear();
  }

  oldest(): Failing | null {
    for (const since of this.#since.values()) return this.#fault && { since, fault: this.#fault };
    return null;
  }
}
