/**
 * The log of one conversation: load the truth, append to it, change a message in it.
 *
 * 1. The entry with the highest `seq` is the truth; the snapshot follows it.
 * 2. An append that meets a taken `seq` was decided on stale state; one that meets its own id was
 *    committed before (I16, I19).
 */
import type { StoredMessage } from '../../shared/message.ts';
import type { Store, WriteOutcome } from '../../shared/ports.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import { type InsertClaim, isToBeSent, type SendClaimer } from '../channel/claim-on-insert.ts';
import type { Appended, ConversationState } from '../domain/conversation.ts';
import type { Changes } from '../domain/message-change.ts';
import { StaleState } from '../runtime/actor.ts';
import { assertCommitted } from '../runtime/assert-committed.ts';
import {
  type ConversationDocument,
  changeWrite,
  type EntryDocument,
  entryDocument,
  mediaWrite,
  messageWrite,
  SEQUENCE_INDEX,
} from './documents.ts';

interface LogParts {
  readonly environment: { readonly store: Store };
  readonly claimer: SendClaimer;
}

interface NamedIn {
  readonly channelId: string;
  readonly direction?: 'in' | 'out';
  /** Conversations whose messages are part of this one. */
  readonly joined?: readonly string[] | undefined;
}

export class ConversationLog {
  readonly #store: Store;
  readonly #claimer: SendClaimer;
  readonly #conversationId: string;

  constructor(parts: LogParts, conversationId: string) {
    this.#store = parts.environment.store;
    this.#claimer = parts.claimer;
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
  async loadFromLog(): Promise<ConversationState | null> {
    const last = await this.#store.findOne<EntryDocument>(
      'entries',
      { conversationId: this.#conversationId },
      { sort: { seq: -1 }, project: { after: 1 } },
    );
    return last?.after ?? null;
  }

  /** @param joined conversations whose entries are looked at too */
  async entry(entryId: string, joined: readonly string[] = []): Promise<EntryDocument | null> {
    const entry = await this.#store.byId<EntryDocument>('entries', entryId);
    const isHere = entry && [this.#conversationId, ...joined].includes(entry.conversationId);
    return isHere ? entry : null;
  }

  /** The ids that are on record, of whatever conversation. */
  async entriesOf(entryIds: readonly string[]): Promise<EntryDocument[]> {
    const read = (id: string) => this.#store.byId<EntryDocument>('entries', id);
    return (await Promise.all(entryIds.map(read))).filter((entry) => entry !== null);
  }

  /** Whether another conversation has the entry. */
  async isForeign(entryId: string): Promise<boolean> {
    const entry = await this.#store.byId<EntryDocument>('entries', entryId);
    return entry !== null && entry.conversationId !== this.#conversationId;
  }

  /** By one of the spellings of its network id; of one direction, or of either. */
  entryNamed(
    { channelId, direction, joined = [] }: NamedIn,
    names: readonly string[],
  ): Promise<EntryDocument | null> {
    const own = this.#conversationId;
    return this.#store.findOne<EntryDocument>('entries', {
      channelId,
      externalId: { $in: names },
      conversationId: joined.length === 0 ? own : { $in: [own, ...joined] },
      ...(direction === undefined ? {} : { 'message.direction': direction }),
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
    const claim = isToBeSent(decided) ? this.#claimer.claimOnInsert(decided) : null;
    const entry = claim?.entry ?? decided;
    const inserted = await this.#insert(entry, claim);
    if (isDuplicate(inserted, SEQUENCE_INDEX)) throw new StaleState(`entry ${entry.seq}`);
    if (isDuplicate(inserted, '_id_')) return null;
    assertCommitted(inserted, `entry ${entry.seq}`);
    return entry;
  }

  /** Whatever becomes of it, who has reserved is told. */
  async #insert(
    document: EntryDocument,
    claim: InsertClaim | null,
  ): Promise<WriteOutcome | undefined> {
    let inserted: WriteOutcome | undefined;
    try {
      [inserted] = await this.#store.commit([{ insert: 'entries', document }]);
      return inserted;
    } finally {
      claim?.resolve(inserted?.ok === true);
    }
  }

  /** Puts media on the message of an entry, which then waits for none; answers it as it is now. */
  async attachMedia(entry: EntryDocument, message: StoredMessage): Promise<EntryDocument> {
    const [changed] = await this.#store.commit([mediaWrite(entry, message)]);
    if (!changed?.ok) throw new Error('the media was refused', { cause: changed });
    const { mediaDue: _, ...rest } = entry;
    return { ...rest, message };
  }

  /** Puts what its author changed beside the message; answers the entry as it is now. */
  async changeContent(entry: EntryDocument, changes: Changes): Promise<EntryDocument> {
    const [changed] = await this.#store.commit([changeWrite(entry, changes)]);
    if (!changed?.ok) throw new Error('the change was refused', { cause: changed });
    return { ...entry, ...changes };
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
