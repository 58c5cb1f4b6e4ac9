/** Scheduled messages of a conversation and of those that joined it, the next one first (D297). */
import type { SizedDocument } from '../../../shared/ports/sized-document.ts';
import type { ListMessages } from '../../../shared/wire/queries.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { skipOf } from '../lists/answer.ts';
import { ROWS } from '../lists/parts.ts';

interface Scheduled {
  readonly rows: readonly SizedDocument<EntryDocument>[];
  readonly total: number;
}

/** One page and its total. A message that becomes due in between is in the total alone. */
export async function readScheduled(
  store: Store,
  conversations: readonly string[],
  query: ListMessages,
): Promise<Scheduled> {
  const [first, ...others] = conversations;
  const filter: Filter<'entries'> = {
    conversationId: first !== undefined && others.length === 0 ? first : { $in: conversations },
    due: { $exists: true },
    'message.status': 'scheduled',
  };
  const total = await store.count('entries', filter);
  const rows = await store.find('entries', filter, {
    ...{ ...ROWS, sort: { 'due.at': 1, seq: 1 }, skip: skipOf(query), limit: query.limit },
  });
  return { rows, total };
}
