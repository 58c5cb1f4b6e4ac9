/**
 * Half-open breaker of a number: whether the number itself is in trouble, or only some of its
 * conversations.
 *
 * 1. One conversation that is turned away, or gets no answer, holds up no other: only several
 *    different ones in a row, with nothing that worked between them, are the number's trouble. A
 *    word of the network about the whole account is believed at once.
 * 2. In trouble, one message at a time tries; the first that works ends it.
 * 3. A wait that the network wants kept is shortened by nothing but a change of the channel.
 */

const CONVERSATIONS_IN_TROUBLE = 3;
const UNANSWERED_WAIT_MS = 2_000;
const GROWTH = 1.5;
/** Every agenda moves within 15 s of the last fault (I11). */
const UNANSWERED_WAIT_MAX_MS = 10_000;

export class NumberHealth {
  readonly #turnedAway = new Set<string>();
  #troubled = false;
  #notBefore = 0;
  /** The part of it that readiness does not shorten. */
  #keptUntil = 0;
  #unanswered = 0;

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

  /** The network told nothing of a message that was sent. */
  unanswered(conversationId: string, now: number): void {
    const waitMs = UNANSWERED_WAIT_MS * GROWTH ** Math.min(this.#unanswered, 30);
    this.#unanswered++;
    this.turnedAway(conversationId, 'number', now + Math.min(waitMs, UNANSWERED_WAIT_MAX_MS));
  }

  /** The network wants the whole account to wait until then. */
  keepUntil(until: number): void {
    this.#keptUntil = Math.max(this.#keptUntil, until);
    this.#notBefore = Math.max(this.#notBefore, until);
    this.#troubled = true;
  }

  /** The network judged a message at this time; true when that ends a trouble. */
  worked(now: number): boolean {
    this.#unanswered = 0;
    this.#turnedAway.clear();
    // It was on its way when the network asked for the wait.
    if (this.#keptUntil > now) return false;
    const ended = this.#troubled;
    this.#troubled = false;
    this.#notBefore = 0;
    return ended;
  }

  /** There is reason to believe that it works again: one message may find out. */
  tryNow(): void {
    this.#notBefore = this.#keptUntil;
  }

  /** The channel is another one now. */
  startAnew(): void {
    this.#keptUntil = 0;
    this.#notBefore = 0;
  }

  /** How many more may be handed over now. */
  room(inFlight: number, now: number): number {
    if (this.#notBefore > now) return 0;
    if (this.#troubled) return inFlight === 0 ? 1 : 0;
    return Number.POSITIVE_INFINITY;
  }
}
