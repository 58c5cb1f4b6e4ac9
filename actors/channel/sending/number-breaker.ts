/**
 * Half-open breaker of a number: distinguishes trouble of the number from trouble of single
 * conversations.
 *
 * 1. One rejected or unanswered conversation delays no other. Several different ones in a row,
 *    without a success between them, trip the breaker. A statement about the whole account trips it
 *    at once.
 * 2. A tripped breaker admits one message at a time; the first success closes it.
 * 3. Only a change of the channel shortens a wait that the network demands.
 */
const TRIP_THRESHOLD = 3;
const UNANSWERED_WAIT_MS = 2_000;
const GROWTH = 1.5;
/** Every agenda makes progress within 15 s of the last fault (I11). */
const UNANSWERED_WAIT_MAX_MS = 10_000;

export class NumberBreaker {
  /** Conversations, at most `TRIP_THRESHOLD`. */
  readonly #rejected = new Set<string>();
  #tripped = false;
  #notBefore = 0;
  /** The part of the wait that readiness does not shorten. */
  #heldUntil = 0;
  #unanswered = 0;

  /** Monotonic milliseconds before which no message is transmitted. */
  get notBefore(): number {
    return this.#notBefore;
  }

  /** Records a rejection of the number or the account, not of the pair alone. */
  recordRejection(conversationId: string, scope: 'number' | 'account', until: number): void {
    // Further conversations change nothing.
    if (this.#rejected.size < TRIP_THRESHOLD) this.#rejected.add(conversationId);
    if (scope === 'account' || this.#rejected.size >= TRIP_THRESHOLD) this.#tripped = true;
    if (this.#tripped) this.#notBefore = Math.max(this.#notBefore, until);
  }

  /** Records a send that the network did not answer. */
  recordUnanswered(conversationId: string, now: number): void {
    const waitMs = UNANSWERED_WAIT_MS * GROWTH ** Math.min(this.#unanswered, 30);
    this.#unanswered++;
    this.recordRejection(conversationId, 'number', now + Math.min(waitMs, UNANSWERED_WAIT_MAX_MS));
  }

  /** Records a wait that the network demands of the whole account. */
  holdUntil(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
    this.#notBefore = Math.max(this.#notBefore, until);
    this.#tripped = true;
  }

  /** Records an answer of the network; true when it closes a tripped breaker. */
  recordSuccess(now: number): boolean {
    this.#unanswered = 0;
    this.#rejected.clear();
    // The message was in flight when the network demanded the wait.
    if (this.#heldUntil > now) return false;
    const ended = this.#tripped;
    this.#tripped = false;
    this.#notBefore = 0;
    return ended;
  }

  /** The number may work again: one message may test it. */
  halfOpen(): void {
    this.#notBefore = this.#heldUntil;
  }

  /** The channel's settings changed: earlier waits end. */
  reset(): void {
    this.#heldUntil = 0;
    this.#notBefore = 0;
  }

  /** Number of further messages that may be transmitted now. */
  capacity(inFlight: number, now: number): number {
    if (this.#notBefore > now) return 0;
    if (this.#tripped) return inFlight === 0 ? 1 : 0;
    return Number.POSITIVE_INFINITY;
  }
}
