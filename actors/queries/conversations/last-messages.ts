/**
 * The messages that rows of conversations preview, as they are now: all of a page in one read.
 *
 * 1. The log alone knows what became of a message: a receipt changes its entry and appends none. A
 *    row that remembered the status would need a write of its own for each receipt, and a recovery
 *    of those that a crash has cut off.
 * 2. Entries precede the snapshot that names them, so a named one is there.
 */
import type { LastMessage } from '../../../shared/api/panel-conversation.ts';
import type { StoredMessage } from '../../../shared/message.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { Store } from '../../model/collections.ts';
import { shownStatus } from './messages.ts';

const BY_PLACE = { conversationId: 1, seq: -1 } as const;

/** By the conversation's id; one whose newest message is in a log that was joined has none. */
export async function readLastMessages(
  store: Store,
  states: readonly ConversationState[],
): Promise<ReadonlyMap<string, LastMessage>> {
  const places = states.flatMap(({ id: conversationId, lastMessageSeq: seq }) =>
    seq === undefined ? [] : [{ conversationId, seq }],
  );
  if (places.length === 0) return new Map();
  const entries = await store.find(
    'entries',
    { $or: places },
    { project: { conversationId: 1, message: 1 }, index: BY_PLACE },
  );
  return new Map(
    entries.flatMap(({ conversationId, message }) =>
      message ? [[conversationId, lastMessageOf(message)] as const] : [],
    ),
  );
}

function lastMessageOf({ direction, author, memberId, status }: StoredMessage): LastMessage {
  return { direction, author, memberId: memberId ?? null, status: shownStatus(status) };
}
