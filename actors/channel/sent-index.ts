/** Which conversation a message that was sent lately belongs to: saves a look-up per status. */

const KEPT_MAX = 20_000;

export class SentIndex {
  readonly #conversations = new Map<string, string>();

  /** `name` is our message id or the network's. */
  keep(name: string, conversationId: string): void {
    this.#conversations.set(name, conversationId);
    if (this.#conversations.size <= KEPT_MAX) return;
    const oldest = this.#conversations.keys().next().value;
    if (oldest !== undefined) this.#conversations.delete(oldest);
  }

  conversationOf(name: string): string | undefined {
    return this.#conversations.get(name);
  }
}
