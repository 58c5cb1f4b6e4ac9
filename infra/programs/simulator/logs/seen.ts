/** Read marks and typing that a contact saw, in order; a full log drops the oldest. */

export interface SeenMark {
  /** Bare digits, or an opaque id. */
  readonly to: string;
  readonly kind: 'read' | 'typing' | 'paused';
  /** The contact's message that it is about, where the call names one. */
  readonly messageId?: string;
  /** The channel's id. */
  readonly channel: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

const RETAINED_MARKS = 10_000;

export class SeenLog {
  #marks: SeenMark[] = [];

  add(mark: SeenMark): void {
    this.#marks.push(mark);
    if (this.#marks.length > RETAINED_MARKS * 2) this.#marks = this.#marks.slice(-RETAINED_MARKS);
  }

  /** Oldest first; all of them, or those to one contact. */
  list(to?: string): readonly SeenMark[] {
    const retained = this.#marks.slice(-RETAINED_MARKS);
    return to === undefined ? retained : retained.filter((mark) => mark.to === to);
  }

  clear(): void {
    this.#marks = [];
  }
}

const RETAINED_MESSAGES = 100_000;

/** The author of each message that a contact sent to a `cloud` number. */
export class ReceivedMessages {
  readonly #authors = new Map<string, string>();

  add(externalId: string, author: string): void {
    this.#authors.set(externalId, author);
    const { value, done } = this.#authors.keys().next();
    if (this.#authors.size > RETAINED_MESSAGES && done !== true) this.#authors.delete(value);
  }

  authorOf(externalId: string): string | undefined {
    return this.#authors.get(externalId);
  }

  clear(): void {
    this.#authors.clear();
  }
}
