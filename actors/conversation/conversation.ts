/** One conversation as its turns see it: what each kind of turn needs of the actor. */

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
  /** Makes sure of what must follow an entry that was committed before; null: there is none. */
  recoverEntry(entryId: string): Promise<EntryDocument | null>;
  readonly id: string;
  readonly parts: ConversationParts;
  readonly log: ConversationLog;
  readonly recent: RecentEntries;
  /** The state after the last entry; null while there is no conversation. */
  load(): Promise<ConversationState | null>;
  /** The same by the log, whatever the snapshot says. */
  reload(): Promise<ConversationState | null>;
  /** Learnt beside the log; written down with the next entry. */
  learn(known: Partial<Pick<ConversationState, 'networkId' | 'contact'>>): void;
  /** Commits one decision, then lets follow what must follow. Null: it was committed before. */
  commit(entryId: string, accepted: Appended): Promise<EntryDocument | null>;
  nudgeChannel(entry: EntryDocument): void;
  publish(entry: EntryDocument, outbox: readonly OutboxItem[]): void;
  /** The contact, created if it is missing; a profile name fills an empty one. */
  ensureContact(facts: ContactFacts, context: TurnContext): Promise<EnsuredContact>;
}
