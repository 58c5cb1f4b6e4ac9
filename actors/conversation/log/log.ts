/**
 * Log of one conversation: loads the last state, appends entries, changes messages.
 *
 * 1. The entry with the highest `seq` is the truth; the snapshot follows it.
 * 2. An append that meets an occupied `seq` was decided on stale state. An append that meets its
 *    own id was committed before (I16, I19).
 * 3. The latest entries are cached: their receipts are expected next, and each hit saves a read.
 * 4. No write begins once the log is closed or the lease has ended. The conversation's next owner
 *    finds only writes that began before.
 */
import type { StoredMessage } from '../../../shared/message.ts';
import type { WriteOutcome } from '../../../shared/ports/store.ts';
import type { OutboxItem } from '../../../shared/wire/outbox.ts';
import {
  type Inserted,
  isToBeSent,
  type SendClaimer,
} from '../../channel/sending/claim-on-insert.ts';
import {
  type ConversationState,
  isReactionTakenBack,
} from '../../domain/conversation/conversation.ts';
import type { Changes } from '../../domain/conversation/message-change.ts';
import type { Environment } from '../../environment.ts';
import type { Write } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { StaleState } from '../../runtime/kind.ts';
import { assertCommitted } from '../../runtime/turn.ts';
import {
  type Appending,
  changeWrite,
  entryDocument,
  mediaWrite,
  messageWrite,
  SEQUENCE_INDEX,
} from './documents.ts';

interface LogParts {
  readonly environment: Pick<Environment, 'store' | 'leaseHeld'>;
  readonly claimer: SendClaimer;
}

interface NamedIn {
  readonly channelId: string;
  readonly direction?: 'in' | 'out';
  /** Conversations that were joined to this one: their messages are part of it. */
  readonly joined?: readonly string[] | undefined;
}

/** Beyond so many unread messages, the older ones count as read with the newest. */
const INBOUND_READ_MAX = 200;
/** Reactions that were taken back are among the messages, and were never unread. */
const TAKEN_BACK_MAX = 20;

type InboundEntry = Pick<EntryDocument, 'seq' | 'message'>;

export class ConversationLog {
  readonly #environment: LogParts['environment'];
  readonly #claimer: SendClaimer;
  readonly #conversationId: string;
  #isClosed = false;

  constructor(parts: LogParts, conversationId: string) {
    this.#environment = parts.environment;
    this.#claimer = parts.claimer;
    this.#conversationId = conversationId;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** No write begins any more. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * The state of the snapshot. After a crash it may be stale: the next append then collides, and
   * the actor loads the state from the log.
   */
  async loadSnapshot(): Promise<ConversationState | null> {
    const known = await this.#environment.store.byId('conversations', this.#conversationId);
    return known?.snapshot.state ?? null;
  }

  /** State of the last entry. Only this read justifies a refusal for a missing conversation. */
  async loadFromLog(): Promise<ConversationState | null> {
    const filter = { conversationId: this.#conversationId };
    const newest = { sort: { seq: -1 }, project: { after: 1 } } as const;
    const last = await this.#environment.store.findOne('entries', filter, newest);
    return last?.after ?? null;
  }

  /** @param joined conversations that are part of this one */
  async entry(entryId: string, joined: readonly string[] = []): Promise<EntryDocument | null> {
    const entry = await this.entryAnywhere(entryId);
    const isHere = entry && [this.#conversationId, ...joined].includes(entry.conversationId);
    return isHere ? entry : null;
  }

  /** The entry of this id in any conversation. */
  entryAnywhere(entryId: string): Promise<EntryDocument | null> {
    return this.#environment.store.byId('entries', entryId);
  }

  /** Whether another conversation has an entry of this id. */
  async isForeign(entryId: string): Promise<boolean> {
    const entry = await this.entryAnywhere(entryId);
    return entry !== null && entry.conversationId !== this.#conversationId;
  }

  /** The contact's newest messages that were unread, up to a place in the log, newest first. */
  async inbound(wanted: {
    readonly upTo: number;
    readonly limit: number;
  }): Promise<InboundEntry[]> {
    const { upTo, limit } = wanted;
    if (limit <= 0) return [];
    const filter = {
      conversationId: this.#conversationId,
      seq: { $lte: upTo },
      'message.direction': 'in',
    } as const;
    const newest = { sort: { seq: -1 }, project: { seq: 1, message: 1 } } as const;
    const entries = await this.#environment.store.find('entries', filter, {
      ...newest,
      limit: Math.min(limit + TAKEN_BACK_MAX, INBOUND_READ_MAX),
    });
    const shown = entries.filter(({ message }) => !message || !isReactionTakenBack(message));
    return shown
      .slice(0, limit)
      .map(({ seq, message }) => ({ seq, ...(message ? { message } : {}) }));
  }

  /** Finds an entry by its network id; `direction` undefined means either. */
  entryNamed(
    { channelId, direction, joined = [] }: NamedIn,
    externalId: string,
  ): Promise<EntryDocument | null> {
    const own = this.#conversationId;
    return this.#environment.store.findOne('entries', {
      channelId,
      externalId,
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
    accepted: Appending,
    requestId?: string,
  ): Promise<EntryDocument | null> {
    this.#assertOpen();
    const decided = entryDocument(entryId, accepted, requestId);
    const claim = isToBeSent(decided) ? this.#claimer.claimOnInsert(decided) : null;
    const entry = claim?.entry ?? decided;
    const insert = async (): Promise<Inserted> => {
      const [outcome] = await this.#environment.store.commit([
        { insert: 'entries', document: entry },
      ]);
      return outcome;
    };
    const inserted = await (claim ? claim.insertAndSend(insert) : insert());
    if (isDuplicate(inserted, SEQUENCE_INDEX)) throw new StaleState(`entry ${entry.seq}`);
    if (isDuplicate(inserted, '_id_')) return null;
    assertCommitted(inserted, `entry ${entry.seq}`);
    return entry;
  }

  /** Records media on an entry's message and ends the wait for it; answers the new entry. */
  async attachMedia(entry: EntryDocument, message: StoredMessage): Promise<EntryDocument> {
    await this.#update(mediaWrite(entry, message), 'media');
    const { mediaDue: _, ...rest } = entry;
    return { ...rest, message };
  }

  /** Records the author's change beside the message; answers the new entry. */
  async changeContent(entry: EntryDocument, changes: Changes): Promise<EntryDocument> {
    await this.#update(changeWrite(entry, changes), 'change');
    return { ...entry, ...changes };
  }

  /** Changes the message of an entry; answers the new entry. */
  async change(
    entry: EntryDocument,
    message: StoredMessage,
    outbox: readonly OutboxItem[],
  ): Promise<EntryDocument> {
    await this.#update(messageWrite(entry, message, outbox), 'receipt');
    const { send: _, ...rest } = entry;
    return { ...rest, message };
  }

  async #update(write: Write, what: string): Promise<void> {
    this.#assertOpen();
    const [changed] = await this.#environment.store.commit([write]);
    if (!changed?.ok) throw new Error(`the ${what} was refused`, { cause: changed });
  }

  #assertOpen(): void {
    if (!this.#isClosed && this.#environment.leaseHeld()) return;
    throw new StaleState(`the log of ${this.#conversationId} is closed`);
  }
}

function isDuplicate(outcome: WriteOutcome | undefined, index: string): boolean {
  return outcome?.ok === false && 'duplicate' in outcome && outcome.duplicate === index;
}

const RECENT_MAX = 8;

export class RecentEntries {
  readonly #entries = new Map<string, EntryDocument>();

  keep(entry: EntryDocument): void {
    this.#entries.delete(entry._id);
    this.#entries.set(entry._id, entry);
    if (this.#entries.size <= RECENT_MAX) return;
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  has(entryId: string): boolean {
    return this.#entries.has(entryId);
  }

  find(messageId: string | null, externalId: string | undefined): EntryDocument | undefined {
    if (messageId !== null) return this.#entries.get(messageId);
    if (externalId === undefined) return undefined;
    for (const entry of this.#entries.values()) {
      const { message } = entry;
      if (message?.direction === 'out' && message.externalId === externalId) return entry;
    }
    return undefined;
  }
}
