/**
 * Log of one conversation: loads the last state, appends entries, changes messages.
 *
 * 1. The entry with the highest `seq` is the truth; the snapshot follows it.
 * 2. An append that meets an occupied `seq` was decided on stale state. An append that meets its
 *    own id was committed before (I16, I19).
 */
import type { StoredMessage } from '../../shared/message.ts';
import type { Store, WriteOutcome } from '../../shared/ports/store.ts';
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
  /** Conversations that were joined to this one: their messages are part of it. */
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
   * The state of the snapshot. After a crash it may be stale: the next append then collides, and
   * the actor loads the state from the log.
   */
  async loadSnapshot(): Promise<ConversationState | null> {
    const known = await this.#store.byId<ConversationDocument>(
      'conversations',
      this.#conversationId,
    );
    return known?.snapshot.state ?? null;
  }

  /** State of the last entry. Only this read justifies a refusal for a missing conversation. */
  async loadFromLog(): Promise<ConversationState | null> {
    const last = await this.#store.findOne<EntryDocument>(
      'entries',
      { conversationId: this.#conversationId },
      { sort: { seq: -1 }, project: { after: 1 } },
    );
    return last?.after ?? null;
  }

  /** @param joined conversations that are part of this one */
  async entry(entryId: string, joined: readonly string[] = []): Promise<EntryDocument | null> {
    const entry = await this.#store.byId<EntryDocument>('entries', entryId);
    const isHere = entry && [this.#conversationId, ...joined].includes(entry.conversationId);
    return isHere ? entry : null;
  }

  /** The entries that exist, of any conversation. */
  async entriesOf(entryIds: readonly string[]): Promise<EntryDocument[]> {
    const read = (id: string) => this.#store.byId<EntryDocument>('entries', id);
    return (await Promise.all(entryIds.map(read))).filter((entry) => entry !== null);
  }

  /** Whether another conversation has an entry of this id. */
  async isForeign(entryId: string): Promise<boolean> {
    const entry = await this.#store.byId<EntryDocument>('entries', entryId);
    return entry !== null && entry.conversationId !== this.#conversationId;
  }

  /** Finds an entry by any spelling of its network id; `direction` undefined means either. */
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
   * Appends, and answers the entry as inserted; null where the id exists already. A message to be
   * sent is offered to its channel first, which may mark it `sending`.
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

  /** Resolves the claim in every case. */
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

  /** Records media on an entry's message and ends the wait for it; answers the new entry. */
  async attachMedia(entry: EntryDocument, message: StoredMessage): Promise<EntryDocument> {
    const [changed] = await this.#store.commit([mediaWrite(entry, message)]);
    if (!changed?.ok) throw new Error('the media was refused', { cause: changed });
    const { mediaDue: _, ...rest } = entry;
    return { ...rest, message };
  }

  /** Records the author's change beside the message; answers the new entry. */
  async changeContent(entry: EntryDocument, changes: Changes): Promise<EntryDocument> {
    const [changed] = await this.#store.commit([changeWrite(entry, changes)]);
    if (!changed?.ok) throw new Error('the change was refused', { cause: changed });
    return { ...entry, ...changes };
  }

  /** Changes the message of an entry; answers the new entry. */
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
