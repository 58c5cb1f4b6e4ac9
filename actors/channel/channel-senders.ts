/**
 * The channel senders of one partition. A webhook may name any channel, so a sender without
 * configuration and without queued messages is disposed.
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

  /** Forgets a sender that is disposable. */
  dispose(sender: ChannelSender): void {
    if (!sender.isDisposable || this.#senders.get(sender.channelId) !== sender) return;
    sender.close();
    this.#senders.delete(sender.channelId);
  }
}
