/** Interface of one conversation: the parts of the actor that its turns need. */
import type { OutboxItem } from '../../../shared/wire/outbox.ts';
import type { SendClaimer } from '../../channel/sending/claim-on-insert.ts';
import type { ContactFacts } from '../../contact/ensure-contact.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { Environment } from '../../environment.ts';
import type { EnsuredContact } from '../../model/contact.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import type { Audience } from '../../organization/audience.ts';
import type { Relay } from '../../outbox/relay.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import type { FlowParts } from '../flow/engine.ts';
import type { FlowConversation } from '../flow/flow-conversation.ts';
import type { ConversationLog, RecentEntries } from '../log/log.ts';
import type { SnapshotWriter } from '../log/snapshot-writer.ts';
import type { UnpublishedEvents } from '../log/unpublished-events.ts';
import type { DueMessages } from '../schedule/due-messages.ts';
import type { ScheduledCounts } from '../schedule/scheduled-counts.ts';

export interface ConversationParts {
  readonly environment: Environment;
  readonly relay: Relay;
  readonly audience: Pick<Audience, 'isHearing'>;
  readonly claimer: SendClaimer;
  readonly snapshotWriter: SnapshotWriter;
  readonly unpublishedEvents: UnpublishedEvents;
  readonly flows: FlowParts;
  readonly dueMessages: DueMessages;
  readonly scheduledCounts: ScheduledCounts;
}

export interface Conversation extends FlowConversation<ConversationParts> {
  /** Of the tenure in which its turns run. */
  readonly epoch: number;
  readonly log: ConversationLog;
  readonly recent: RecentEntries;
  /** The contact of the number was asked, which joins its spellings. */
  isNumberChecked: boolean;
  /** The state after the last entry, read from the log and not from the snapshot. */
  reload(): Promise<ConversationState | null>;
  /** Changes the state in memory without an entry; the next entry records it. */
  learn(known: Partial<Pick<ConversationState, 'networkId' | 'contact'>>): void;
  /** Hints open pages that the entry was written. */
  hint(entry: EntryDocument): void;
  nudgeChannel(entry: EntryDocument): void;
  publish(entry: EntryDocument, outbox: readonly OutboxItem[]): void;
  /** The contact, created if it is missing; a profile name fills an empty one. */
  ensureContact(facts: ContactFacts, context: TurnContext): Promise<EnsuredContact>;
}
