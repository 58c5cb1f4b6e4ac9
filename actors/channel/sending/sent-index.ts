/** Index of recent sends by network name: saves a read per status. A process has one. */
import { GenerationalCache } from '../../../shared/generational-cache.ts';

/** Entries per process: 250 bytes each, two per message. */
const ENTRIES_MAX = 50_000;

export interface SentMessage {
  readonly conversationId: string;
  readonly messageId: string;
}

interface IndexedMessage extends SentMessage {
  /** Set once the network's acceptance under this name is on record, with the contact's own id. */
  readonly recorded?: { readonly networkId: string | undefined };
}

export type SentNames = GenerationalCache<string, IndexedMessage>;

export const createSentNames = (): SentNames => new GenerationalCache(ENTRIES_MAX);

export class SentIndex {
  readonly #channelId: string;
  readonly #names: SentNames;

  constructor(channelId: string, names: SentNames = createSentNames()) {
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
