/** Which message a name of the network belongs to, of those sent lately: saves reads per status. */

const KEPT_MAX = 20_000;

export interface SentMessage {
  readonly conversationId: string;
  readonly messageId: string;
}

export class SentIndex {
  readonly #messages = new Map<string, SentMessage>();

  /** `name` is our message id or the network's. */
  keep(name: string, { conversationId, messageId }: SentMessage): void {
    this.#messages.set(name, { conversationId, messageId });
    if (this.#messages.size <= KEPT_MAX) return;
    const oldest = this.#messages.keys().next().value;
    if (oldest !== undefined) this.#messages.delete(oldest);
  }

  find(name: string): SentMessage | undefined {
    return this.#messages.get(name);
  }
}
