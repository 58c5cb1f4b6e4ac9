/**
 * The desks of one partition. Anybody can send a webhook to any name: the desk of a channel that
 * nobody has configured, and for which nothing waits, is not kept.
 */
import type { ChannelSender } from './channel-sender.ts';

export class ChannelSenders {
  readonly #make: (channelId: string) => ChannelSender;
  readonly #senders = new Map<string, ChannelSender>();

  constructor(make: (channelId: string) => ChannelSender) {
    this.#make = make;
  }

  get size(): number {
    return this.#senders.size;
  }

  of(channelId: string): ChannelSender {
    const known = this.#senders.get(channelId);
    if (known) return known;
    const sender = this.#make(channelId);
    this.#senders.set(channelId, sender);
    return sender;
  }

  find(channelId: string): ChannelSender | undefined {
    return this.#senders.get(channelId);
  }

  values(): Iterable<ChannelSender> {
    return this.#senders.values();
  }

  /** Forgets a desk that is nobody's. */
  dispose(sender: ChannelSender): void {
    if (!sender.isDisposable || this.#senders.get(sender.channelId) !== sender) return;
    sender.close();
    this.#senders.delete(sender.channelId);
  }
}
