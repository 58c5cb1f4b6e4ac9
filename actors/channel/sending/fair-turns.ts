/**
 * Turns of the classes of a channel's messages. It has no clock and no I/O.
 *
 * 1. Three turns are for replies, the fourth is for the others: of any 20 sends while all three
 *    classes wait, 15 are replies, 3 normal, 2 bulk.
 * 2. The turn of a class of which none waits goes to the most urgent that waits.
 * 3. A reply that finds no other reply waiting is next.
 */
import { URGENCIES, type Urgency } from '../../../shared/vocabulary.ts';

const REPLIES_IN_A_ROW = 3;
/** Spread over the turns of the others. */
const OTHERS = ['normal', 'bulk', 'normal', 'bulk', 'normal'] as const;

/** Of which classes a message may be sent now. */
export type Waiting = Readonly<Record<Urgency, boolean>>;

export class FairTurns {
  /** Turns of replies since the last one of the others. */
  #inARow = 0;
  #other = 0;
  #repliesWaited = false;

  /** The class that is next; null where none waits. */
  next(waiting: Waiting): Urgency | null {
    if (waiting.reply && this.#isOfReplies()) return 'reply';
    const turn = this.#inARow < REPLIES_IN_A_ROW ? 'reply' : OTHERS[this.#other];
    if (turn && waiting[turn]) return turn;
    return URGENCIES.find((urgency) => waiting[urgency]) ?? null;
  }

  /**
   * A message of the class that was next takes the turn.
   * @param repliesWait whether a reply may still be sent now
   */
  take(urgency: Urgency, repliesWait: boolean): void {
    if (this.#inARow < REPLIES_IN_A_ROW) this.#inARow++;
    // The reply that found no other waiting goes before the turn of the others, not in its place.
    else if (urgency !== 'reply' || this.#repliesWaited) {
      this.#inARow = 0;
      this.#other = (this.#other + 1) % OTHERS.length;
    }
    this.#repliesWaited = repliesWait;
  }

  /** The reply that took a turn was not sent. */
  returnReply(): void {
    this.#inARow--;
  }

  #isOfReplies(): boolean {
    return this.#inARow < REPLIES_IN_A_ROW || !this.#repliesWaited;
  }
}
