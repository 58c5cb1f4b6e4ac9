/** Interface of one conversation: the parts of the actor that its turns need. */

import type { OutboxItem } from '../../shared/wire/outbox.ts';
import type { SendClaimer } from '../channel/claim-on-insert.ts';
import type { EnsuredContact } from '../contact/commands.ts';
import type { Appended, ConversationState } from '../domain/conversation.ts';
import type { Environment } from '../environment.ts';
import type { FlowParts } from '../flow/parts.ts';
import type { Relay } from '../outbox/relay.ts';
import type { TurnContext } from '../runtime/actor.ts';
import type { EntryDocument } from './documents.ts';
import type { ContactFacts } from './ensure-contact.ts';
import type { ConversationLog } from './log.ts';
import type { RecentEntries } from './recent-entries.ts';
import type { SnapshotWriter } from './snapshot-writer.ts';

export interface ConversationParts {
  readonly environment: Environment;
  readonly relay: Relay;
  readonly claimer: SendClaimer;
  readonly snapshotWriter: SnapshotWriter;
  readonly flows: FlowParts;
}

export interface Conversation {
  /** Repeats the work that follows a committed entry; null: there is no such entry. */
  recoverEntry(entryId: string): Promise<EntryDocument | null>;
  readonly id: string;
  readonly parts: ConversationParts;
  readonly log: ConversationLog;
  readonly recent: RecentEntries;
  /** The state after the last entry; null while there is no conversation. */
  load(): Promise<ConversationState | null>;
  /** The same, read from the log and not from the snapshot. */
  reload(): Promise<ConversationState | null>;
  /** Changes the state in memory without an entry; the next entry records it. */
  learn(known: Partial<Pick<ConversationState, 'networkId' | 'contact'>>): void;
  /** Commits one decision, then publishes its outbox. Null: this decision was committed before. */
  commit(entryId: string, accepted: Appended): Promise<EntryDocument | null>;
  nudgeChannel(entry: EntryDocument): void;
  publish(entry: EntryDocument, outbox: readonly OutboxItem[]): void;
  /** The contact, created if it is missing; a profile name fills an empty one. */
  ensureContact(facts: ContactFacts, context: TurnContext): Promise<EnsuredContact>;
}
