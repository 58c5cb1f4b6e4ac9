import type { NetworkFault } from '../../../shared/network-fault.ts';

/** A number in trouble tries one message at a time: further conversations add no information. */
const FAILING_MAX = 64;

export interface Failing {
  /** Epoch milliseconds. */
  readonly since: number;
  /** The fault of the newest failure. */
  readonly fault: NetworkFault;
}

/**
 * Failing sends by conversation: since when each has failed without a break. A conversation whose
 * send waits for another reason, or has ended, is left out.
 */
export class FailingSends {
  /** When the send of each conversation first failed, oldest first. */
  readonly #since = new Map<string, number>();
  #fault: NetworkFault | null = null;

  failed(conversationId: string, fault: NetworkFault, now: number): void {
    this.#fault = fault;
    if (this.#since.has(conversationId) || this.#since.size >= FAILING_MAX) return;
    this.#since.set(conversationId, now);
  }

  /** The conversation's send does not fail any more, or does not exist any more. */
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
