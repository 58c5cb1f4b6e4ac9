/** Messages in flight to the network, at most one per conversation. */
export class InFlight {
  readonly #byConversation = new Map<string, Promise<void>>();

  /** Tracks a message of the conversation as in flight until `work` ends. */
  add(conversationId: string, work: Promise<void>): void {
    const tracked = work.finally(() => {
      if (this.#byConversation.get(conversationId) === tracked)
        this.#byConversation.delete(conversationId);
    });
    this.#byConversation.set(conversationId, tracked);
  }

  /** Resolves when no message of the conversation is in flight. */
  async whenIdle(conversationId: string): Promise<void> {
    await this.#byConversation.get(conversationId);
  }
}
