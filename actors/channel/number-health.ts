/**
 * Whether the number itself is in trouble, or only some of its conversations.
 *
 * 1. One conversation that is turned away holds up no other: only several different ones in a row,
 *    with nothing that worked between them, are the number's trouble. What the network says of the
 *    whole account is believed at once.
 * 2. In trouble, one message at a time tries; the first that works ends it.
 */

const CONVERSATIONS_IN_TROUBLE = 3;

export class NumberHealth {
  readonly #turnedAway = new Set<string>();
  #troubled = false;
  #notBefore = 0;

  /** Monotonic milliseconds before which nothing is handed over. */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** The network turned a message away for a reason that is not the pair's. */
  turnedAway(conversationId: string, scope: 'number' | 'account', until: number): void {
    // More than these change nothing.
    if (this.#turnedAway.size < CONVERSATIONS_IN_TROUBLE) this.#turnedAway.add(conversationId);
    if (scope === 'account' || this.#turnedAway.size >= CONVERSATIONS_IN_TROUBLE) {
      this.#troubled = true;
    }
    if (this.#troubled) this.#notBefore = Math.max(this.#notBefore, until);
  }

  /** The network judged a message; true when that ends a trouble. */
  worked(): boolean {
    const ended = this.#troubled;
    this.#troubled = false;
    this.#notBefore = 0;
    this.#turnedAway.clear();
    return ended;
  }

  /** There is reason to believe that it works again: one message may find out. */
  tryNow(): void {
    this.#notBefore = 0;
  }

  /** How many more may be handed over now. */
  room(inFlight: number, now: number): number {
    if (this.#notBefore > now) return 0;
    if (this.#troubled) return inFlight === 0 ? 1 : 0;
    return Number.POSITIVE_INFINITY;
  }
}
