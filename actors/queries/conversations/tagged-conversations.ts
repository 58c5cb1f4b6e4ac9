/** Conversations of contacts with a tag. A conversation does not know the tags of its contact. */
import type { ListPanelConversations } from '../../../shared/wire/queries.ts';
import type { Filter, Store } from '../../model/collections.ts';
import type { ConversationDocument } from '../../model/conversation.ts';
import { skipOf } from '../lists/answer.ts';
import type { Page } from '../lists/page.ts';
import { rowsOf } from '../lists/parts.ts';
import { contactsTagged } from './contacts.ts';
import { type Listed, newestFirst } from './conversations.ts';

interface Asked {
  readonly tag: string;
  /** Of the contact or of the last message; empty: any. */
  readonly text: string;
  readonly filter: Filter<'conversations'>;
}

export async function ofTaggedContacts(
  store: Store,
  query: ListPanelConversations,
  { tag, text, filter }: Asked,
): Promise<Page<ConversationDocument>> {
  const { orgId, contactId, limit } = query;
  const found: Listed[] = [];
  for await (const contacts of contactsTagged(store, { orgId, tag })) {
    const wanted = contacts.filter(({ _id }) => contactId === undefined || _id === contactId);
    const named = new Set(wanted.filter(({ search }) => search.includes(text)).map(idOf));
    const some = await store.find(
      'conversations',
      { ...filter, 'snapshot.contactId': { $in: wanted.map(idOf) } },
      {
        project: { 'snapshot.lastMessageAt': 1, 'snapshot.search': 1, 'snapshot.contactId': 1 },
        index: { 'snapshot.orgId': 1, 'snapshot.contactId': 1 },
      },
    );
    const chosen = some.filter(
      ({ snapshot }) => named.has(snapshot.contactId) || snapshot.search?.includes(text) === true,
    );
    found.push(...chosen);
  }
  const ids = found.toSorted(newestFirst).map(idOf);
  const page = ids.slice(skipOf(query), skipOf(query) + limit);
  return { rows: await rowsOf(store, 'conversations', page), total: ids.length };
}

function idOf({ _id }: { readonly _id: string }): string {
  return _id;
}
