/** The contact's last message: a flow quotes it, reacts to it, and shows typing as its answer. */
import type { MessageKind } from '../../../shared/vocabulary.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';

/** Kinds that the network takes as no target. */
const NO_TARGETS: ReadonlySet<MessageKind> = new Set(['reaction', 'unsupported']);
/** Of a contact who does nothing but react, no message is found. */
const READ_MAX = 20;

/** In the log of the conversation, else in one that has joined it, the last one first. */
export async function lastReceived(
  store: Pick<Store, 'find'>,
  { id, joined = [] }: Pick<ConversationState, 'id' | 'joined'>,
): Promise<EntryDocument | null> {
  for (const conversationId of [id, ...joined.toReversed()]) {
    const filter = { conversationId, 'message.direction': 'in' } as const;
    const newest = await store.find('entries', filter, { sort: { seq: -1 }, limit: READ_MAX });
    const found = newest.find(({ message }) => message && !NO_TARGETS.has(message.kind));
    if (found) return found;
  }
  return null;
}
