/** Messages that are on their way to the network, by conversation: at most one of each. */
export class InFlight {
  readonly #byConversation = new Map<string, Promise<void>>();

  /** One message of the conversation is being handed over until `work` ends. */
  add(conversationId: string, work: Promise<void>): void {
    const tracked = work.finally(() => {
      if (this.#byConversation.get(conversationId) === tracked)
        this.#byConversation.delete(conversationId);
    });
    this.#byConversation.set(conversationId, tracked);
  }

  /** Resolves when no message of the conversation is being handed over. */
  async whenIdle(conversationId: string): Promise<void> {
    await this.#byConversation.get(conversationId);
  }
}
