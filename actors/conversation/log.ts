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
import { isToBeSent, type Reservation, type SendReservations } from '../channel/reservation.ts';
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

interface LogParts {
  readonly world: { readonly store: Store };
  readonly sends: SendReservations;
}

export class ConversationLog {
  readonly #store: Store;
  readonly #sends: SendReservations;
  readonly #conversationId: string;

  constructor(parts: LogParts, conversationId: string) {
    this.#store = parts.world.store;
    this.#sends = parts.sends;
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

  /** Whether another conversation has the entry. */
  async isForeign(entryId: string): Promise<boolean> {
    const entry = await this.#store.byId<EntryDocument>('entries', entryId);
    return entry !== null && entry.conversationId !== this.#conversationId;
  }

  entryByExternalId(externalId: string): Promise<EntryDocument | null> {
    return this.#store.findOne<EntryDocument>('entries', {
      conversationId: this.#conversationId,
      externalId,
    });
  }

  /**
   * Appends, and answers what was appended; null when the very same entry had been before. A
   * message that may go at once is offered to its channel first: it is then `sending` already.
   */
  async append(
    entryId: string,
    accepted: Appended,
    requestId?: string,
  ): Promise<EntryDocument | null> {
    const decided = entryDocument(entryId, accepted, requestId);
    const reservation = isToBeSent(decided) ? this.#sends.reserve(decided) : null;
    const entry = reservation?.entry ?? decided;
    const inserted = await this.#insert(entry, reservation);
    if (inserted?.ok) return entry;
    if (isDuplicate(inserted, SEQUENCE_INDEX)) throw new StaleState(`entry ${entry.seq}`);
    if (isDuplicate(inserted, '_id_')) return null;
    throw new Error('the entry was refused', { cause: inserted });
  }

  /** Whatever becomes of it, who has reserved is told. */
  async #insert(
    document: EntryDocument,
    reservation: Reservation | null,
  ): Promise<WriteOutcome | undefined> {
    let inserted: WriteOutcome | undefined;
    try {
      [inserted] = await this.#store.commit([{ insert: 'entries', document }]);
      return inserted;
    } finally {
      reservation?.settle(inserted?.ok === true);
    }
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
