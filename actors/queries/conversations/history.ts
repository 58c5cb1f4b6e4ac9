/**
 * Pages of a history that is not one log in its own order: conversations were joined, or entries
 * have places of their own (`conversation/log/newest-first.ts`).
 *
 * A later page costs more time, never more memory. Of a single log, entries that certainly precede
 * the page are passed by the store.
 */
import type { SizedDocument } from '../../../shared/ports/sized-document.ts';
import type { ListMessages } from '../../../shared/wire/queries.ts';
import { newestFirst } from '../../conversation/log/newest-first.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { skipOf } from '../lists/answer.ts';
import { rowsOf } from '../lists/parts.ts';

interface Asked {
  /** The entries that are shown. */
  readonly shown: Filter<'entries'>;
  readonly query: ListMessages;
}

/** One page, newest first. */
export async function readHistory(
  store: Store,
  state: ConversationState,
  { shown, query }: Asked,
): Promise<readonly SizedDocument<EntryDocument>[]> {
  const { joined = [], ownPlaces = 0 } = state;
  const skip = skipOf(query);
  // At most `ownPlaces` of the entries before the page are none of the log's own order.
  const passed = joined.length > 0 ? 0 : Math.max(0, skip - ownPlaces);
  const wanted = skip - passed + query.limit;
  const ids: string[] = [];
  let before = skip - passed;
  for await (const { id: entryId } of newestFirst(store, state, { shown, passed, wanted })) {
    if (before-- > 0) continue;
    ids.push(entryId);
    if (ids.length === query.limit) break;
  }
  return rowsOf(store, 'entries', ids);
}
