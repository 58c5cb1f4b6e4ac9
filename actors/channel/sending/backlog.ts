/** How much of a channel's backlog memory holds: the oldest messages. The store has the rest. */

/** Messages of one read of a backlog. A sender that holds fewer needs a refill. */
export const BACKLOG_PAGE = 1_000;
const BUFFERED_MAX = 20_000;
/** Replies that may exceed `BUFFERED_MAX` while first contacts are held back. */
const PASSING_MAX = 1_000;

export class Backlog {
  readonly #page: number;
  #hasAll = true;

  constructor(page = BACKLOG_PAGE) {
    this.#page = page;
  }

  /** False while the store may hold more messages than memory. */
  get hasAll(): boolean {
    return this.#hasAll;
  }

  /** Records a read of the backlog. `ended`: the store has no more messages. */
  recordRead(ended: boolean): void {
    this.#hasAll = ended;
  }

  hasPage(size: number): boolean {
    return size >= this.#page;
  }

  /** Whether memory takes one more; behind a long backlog only one that `passes` those held back. */
  admits(size: number, passes: boolean): boolean {
    if (size >= BUFFERED_MAX) this.#hasAll = false;
    const mayPass = passes && size < BUFFERED_MAX + PASSING_MAX;
    return this.#hasAll || !this.hasPage(size) || mayPass;
  }

  /** True once when memory has room for more messages, until the next read. */
  needsRefill(size: number): boolean {
    const needed = !this.#hasAll && !this.hasPage(size);
    if (needed) this.#hasAll = true;
    return needed;
  }
}
