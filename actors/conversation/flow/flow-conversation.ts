/** A conversation as the flows of its runs know it. */
import type { Command } from '../../../shared/ports/bus.ts';
import type { ContactSource } from '../../../shared/vocabulary.ts';
import type { SendMessage, StartFlow } from '../../../shared/wire/commands.ts';
import type { Appended, ConversationState } from '../../domain/conversation/conversation.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import type { TurnContext } from '../../runtime/kind.ts';

/** The beginning of a conversation by a send or by a flow. */
export interface Beginning {
  readonly command: SendMessage | (StartFlow & Pick<Command, 'via'>);
  readonly contactId: string;
  readonly source: ContactSource;
}

/** A conversation as the flows of its runs know it, with the parts that its process gave it. */
export interface FlowConversation<Parts> {
  readonly id: string;
  readonly parts: Parts;
  readonly log: {
    entry(id: string): Promise<EntryDocument | null>;
    loadFromLog(): Promise<ConversationState | null>;
  };
  /** The state after the last entry; null while there is no conversation. */
  load(): Promise<ConversationState | null>;
  /** State of a new conversation; its contact must exist before the first entry (C4.9). */
  begin(beginning: Beginning, context: TurnContext): Promise<ConversationState>;
  /** Commits one decision, then publishes its outbox. Null: this decision was committed before. */
  commit(entryId: string, accepted: Appended): Promise<EntryDocument | null>;
  /** Repeats the work that follows a committed entry; null: there is no such entry. */
  recoverEntry(entryId: string): Promise<EntryDocument | null>;
}
