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

const TRIP_THRESHOLD = 3;
const UNANSWERED_WAIT_MS = 2_000;
const GROWTH = 1.5;
/** Every agenda moves within 15 s of the last fault (I11). */
const UNANSWERED_WAIT_MAX_MS = 10_000;

export class NumberBreaker {
  readonly #rejected = new Set<string>();
  #tripped = false;
  #notBefore = 0;
  /** The part of it that readiness does not shorten. */
  #heldUntil = 0;
  #unanswered = 0;

  /** Monotonic milliseconds before which nothing is handed over. */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** The network turned a message away for a reason that is not the pair's. */
  recordRejection(conversationId: string, scope: 'number' | 'account', until: number): void {
    // More than these change nothing.
    if (this.#rejected.size < TRIP_THRESHOLD) this.#rejected.add(conversationId);
    if (scope === 'account' || this.#rejected.size >= TRIP_THRESHOLD) {
      this.#tripped = true;
    }
    if (this.#tripped) this.#notBefore = Math.max(this.#notBefore, until);
  }

  /** The network told nothing of a message that was sent. */
  recordUnanswered(conversationId: string, now: number): void {
    const waitMs = UNANSWERED_WAIT_MS * GROWTH ** Math.min(this.#unanswered, 30);
    this.#unanswered++;
    this.recordRejection(conversationId, 'number', now + Math.min(waitMs, UNANSWERED_WAIT_MAX_MS));
  }

  /** The network wants the whole account to wait until then. */
  holdUntil(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
    this.#notBefore = Math.max(this.#notBefore, until);
    this.#tripped = true;
  }

  /** The network judged a message at this time; true when that ends a trouble. */
  recordSuccess(now: number): boolean {
    this.#unanswered = 0;
    this.#rejected.clear();
    // It was on its way when the network asked for the wait.
    if (this.#heldUntil > now) return false;
    const ended = this.#tripped;
    this.#tripped = false;
    this.#notBefore = 0;
    return ended;
  }

  /** There is reason to believe that it works again: one message may find out. */
  halfOpen(): void {
    this.#notBefore = this.#heldUntil;
  }

  /** The channel is another one now. */
  reset(): void {
    this.#heldUntil = 0;
    this.#notBefore = 0;
  }

  /** How many more may be handed over now. */
  capacity(inFlight: number, now: number): number {
    if (this.#notBefore > now) return 0;
    if (this.#tripped) return inFlight === 0 ? 1 : 0;
    return Number.POSITIVE_INFINITY;
  }
}
