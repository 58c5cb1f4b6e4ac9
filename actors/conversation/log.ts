/**
 * The log of one conversation: load the truth, append to it, change a message in it.
 *
 * 1. The entry with the highest `seq` is the truth; the snapshot follows it.
 * 2. An append that meets a taken `seq` was decided on stale state; one that meets its own id was
 *    committed before (design: Committing 1).
 */
import type { StoredMessage } from '../../shared/message.ts';
import type { OutboxItem } from '../../shared/outbox.ts';
import type { Store, WriteOutcome } from '../../shared/ports.ts';
import type { Appended, ConversationState } from '../domain/conversation.ts';
import { StaleState } from '../runtime/actor.ts';
import {
  type ConversationDocument,
  type EntryDocument,
  entryDocument,
  mediaWrite,
  messageWrite,
  SEQUENCE_INDEX,
} from './documents.ts';

export class ConversationLog {
  readonly #store: Store;
  readonly #conversationId: string;

  constructor(store: Store, conversationId: string) {
    this.#store = store;
    this.#conversationId = conversationId;
  }

  /**
   * The state by the snapshot, which is current but for a crash: then the next append collides,
   * and the truth is loaded.
   */
  async loadSnapshot(): Promise<ConversationState | null> {
    const known = await this.#store.byId<ConversationDocument>(
      'conversations',
      this.#conversationId,
    );
    return known?.snapshot.state ?? null;
  }

  /** The last entry: what is refused for the lack of a conversation has looked here. */
  async loadTruth(): Promise<ConversationState | null> {
    const last = await this.#store.findOne<EntryDocument>(
      'entries',
      { conversationId: this.#conversationId },
      { sort: { seq: -1 }, project: { after: 1 } },
    );
    return last?.after ?? null;
  }

  async entry(entryId: string): Promise<EntryDocument | null> {
    const entry = await this.#store.byId<EntryDocument>('entries', entryId);
    return entry?.conversationId === this.#conversationId ? entry : null;
  }

  entryByExternalId(externalId: string): Promise<EntryDocument | null> {
    return this.#store.findOne<EntryDocument>('entries', {
      conversationId: this.#conversationId,
      externalId,
    });
  }

  /** Appends; null when the very same entry had been appended before. */
  async append(
    entryId: string,
    accepted: Appended,
    requestId?: string,
  ): Promise<EntryDocument | null> {
    const entry = entryDocument(entryId, accepted, requestId);
    const [inserted] = await this.#store.commit([{ insert: 'entries', document: entry }]);
    if (inserted?.ok) return entry;
    if (isDuplicate(inserted, SEQUENCE_INDEX)) throw new StaleState(`entry ${entry.seq}`);
    if (isDuplicate(inserted, '_id_')) return null;
    throw new Error('the entry was refused', { cause: inserted });
  }

  /** Puts media on the message of an entry, which then waits for none; answers it as it is now. */
  async settleMedia(entry: EntryDocument, message: StoredMessage): Promise<EntryDocument> {
    const [changed] = await this.#store.commit([mediaWrite(entry, message)]);
    if (!changed?.ok) throw new Error('the media was refused', { cause: changed });
    const { mediaDue: _, ...rest } = entry;
    return { ...rest, message };
  }

  /** Changes the message of an entry; answers the entry as it is now. */
  async change(
    entry: EntryDocument,
    message: StoredMessage,
    outbox: readonly OutboxItem[],
  ): Promise<EntryDocument> {
    const [changed] = await this.#store.commit([messageWrite(entry, message, outbox)]);
    if (!changed?.ok) throw new Error('the receipt was refused', { cause: changed });
    const { send: _, ...rest } = entry;
    return { ...rest, message };
  }
}

function isDuplicate(outcome: WriteOutcome | undefined, index: string): boolean {
  return (
    outcome !== undefined && !outcome.ok && 'duplicate' in outcome && outcome.duplicate === index
  );
}
