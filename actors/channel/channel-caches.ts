/**
 * Caches that the channel senders of a process share, and the index of recent sends by network
 * name, which saves a read per status.
 */
import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { createWatermarks, type Watermarks } from './conversation-queues.ts';
import { InboundCalls } from './inbound-calls.ts';
import { type ContactCache, createContactCache } from './resolve-contact.ts';

/** Entries per process: 250 bytes each, two per message. */
const KEPT_MAX = 50_000;

export interface SentMessage {
  readonly conversationId: string;
  readonly messageId: string;
}

interface IndexedMessage extends SentMessage {
  /** Set once the network's acceptance under this name is on record, with the contact's own id. */
  readonly recorded?: { readonly networkId: string | undefined };
}

export type SentNames = GenerationalCache<string, IndexedMessage>;

const sentNames = (): SentNames => new GenerationalCache(KEPT_MAX);

export class SentIndex {
  readonly #channelId: string;
  readonly #names: SentNames;

  constructor(channelId: string, names: SentNames = sentNames()) {
    this.#channelId = channelId;
    this.#names = names;
  }

  /** `name` is our message id or the network's. */
  keep(name: string, { conversationId, messageId }: SentMessage): void {
    this.#names.set(`${this.#channelId}/${name}`, { conversationId, messageId });
  }

  /** The network's answer to the send is on record. */
  keepRecorded(externalId: string, message: SentMessage, networkId: string | undefined): void {
    const { conversationId, messageId } = message;
    const recorded = { conversationId, messageId, recorded: { networkId } };
    this.#names.set(`${this.#channelId}/${externalId}`, recorded);
  }

  /** Whether a status `sent` would add nothing to its conversation. */
  isRecorded(
    externalId: string,
    status: { readonly messageId?: string | undefined; readonly networkId?: string | undefined },
  ): boolean {
    const known = this.#names.get(`${this.#channelId}/${externalId}`);
    if (!known?.recorded) return false;
    // A status without our id reports no id of the contact to the conversation either.
    if (status.messageId === undefined) return true;
    const { networkId = known.recorded.networkId } = status;
    return status.messageId === known.messageId && networkId === known.recorded.networkId;
  }

  find(name: string): SentMessage | undefined {
    return this.#names.get(`${this.#channelId}/${name}`);
  }
}

export interface ChannelCaches {
  readonly watermarks: Watermarks;
  readonly sent: SentNames;
  readonly contacts: ContactCache;
  readonly inboundCalls: InboundCalls;
}

/** Most statuses of a message arrive within seconds; a later one costs a read. */
const SENT_KEPT_MS = 30_000;

export function createChannelCaches(clock: Pick<Clock, 'after' | 'now'>): ChannelCaches {
  const sent = sentNames();
  const age = (): void => {
    sent.age();
    clock.after(SENT_KEPT_MS, age);
  };
  clock.after(SENT_KEPT_MS, age);
  const inboundCalls = new InboundCalls(clock);
  return { watermarks: createWatermarks(), sent, contacts: createContactCache(), inboundCalls };
}
