/** Messages that are on their way to the network, by conversation: at most one of each. */
export class HandingOver {
  readonly #under = new Map<string, Promise<void>>();

  /** One message of the conversation is being handed over until `work` ends. */
  add(conversationId: string, work: Promise<void>): void {
    const over = work.finally(() => {
      if (this.#under.get(conversationId) === over) this.#under.delete(conversationId);
    });
    this.#under.set(conversationId, over);
  }

  /** Resolves when no message of the conversation is being handed over. */
  async ended(conversationId: string): Promise<void> {
    await this.#under.get(conversationId);
  }
}
