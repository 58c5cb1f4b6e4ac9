/**
 * The log of one conversation: load the truth, append to it, change a message in it.
 *
 * 1. The entry with the highest `seq` is the truth; the snapshot is for lists only.
 * 2. An append that meets a taken `seq` was decided on stale state; one that meets its own id was
 *    committed before (design: Committing 1).
 */
import type { StoredMessage } from '../../shared/message.ts';
import type { OutboxItem } from '../../shared/outbox.ts';
import type { Store, WriteOutcome } from '../../shared/ports.ts';
import type { Accepted, ConversationState } from '../domain/conversation.ts';
import { StaleState } from '../runtime/actor.ts';
import {
  type EntryDocument,
  entryDocument,
  messageWrite,
  SEQUENCE_INDEX,
  snapshotRepair,
  snapshotWrite,
} from './documents.ts';

export class ConversationLog {
  readonly #store: Store;
  readonly #conversationId: string;
  readonly #epoch: number;

  constructor(store: Store, conversationId: string, epoch: number) {
    this.#store = store;
    this.#conversationId = conversationId;
    this.#epoch = epoch;
  }

  async load(): Promise<ConversationState | null> {
    const last = await this.#store.findOne<EntryDocument>(
      'entries',
      { conversationId: this.#conversationId },
      { sort: { seq: -1 }, project: { after: 1 } },
    );
    return last?.after ?? null;
  }

  entry(entryId: string): Promise<EntryDocument | null> {
    return this.#store.findOne<EntryDocument>('entries', {
      _id: entryId,
      conversationId: this.#conversationId,
    });
  }

  entryByExternalId(externalId: string): Promise<EntryDocument | null> {
    return this.#store.findOne<EntryDocument>('entries', {
      conversationId: this.#conversationId,
      externalId,
    });
  }

  /** Appends; null when the very same entry had been appended before. */
  async append(entryId: string, accepted: Accepted): Promise<EntryDocument | null> {
    const entry = entryDocument(entryId, accepted);
    const [inserted] = await this.#store.commit([
      { insert: 'entries', document: entry },
      snapshotWrite(accepted.state, this.#epoch),
    ]);
    if (inserted?.ok) return entry;
    await this.#repair();
    if (isDuplicate(inserted, SEQUENCE_INDEX)) throw new StaleState(`entry ${entry.seq}`);
    if (isDuplicate(inserted, '_id_')) return null;
    throw new Error('the entry was refused', { cause: inserted });
  }

  /** Changes the message of an entry; answers the entry as it is now. */
  async change(
    entry: EntryDocument,
    message: StoredMessage,
    outbox: readonly OutboxItem[],
  ): Promise<EntryDocument> {
    const [changed] = await this.#store.commit([messageWrite(entry, message, outbox)]);
    if (!changed?.ok) throw new StaleState(`message ${entry._id}`);
    const { send: _, ...rest } = entry;
    return { ...rest, message, revision: entry.revision + 1 };
  }

  /** The refused entry's snapshot may have landed beside it: put the truth back. */
  async #repair(): Promise<void> {
    const truth = await this.load();
    if (truth) await this.#store.commit([snapshotRepair(truth, this.#epoch)]);
  }
}

function isDuplicate(outcome: WriteOutcome | undefined, index: string): boolean {
  return outcome !== undefined && !outcome.ok && 'duplicate' in outcome && outcome.duplicate === index;
}
