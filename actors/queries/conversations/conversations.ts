/** GET /api/v1/conversations: by latest message, newest first (C4.7). */
import { CONVERSATION_STATUSES } from '../../../shared/vocabulary.ts';
import type { ListConversations, ListPanelConversations } from '../../../shared/wire/queries.ts';
import { anyOf, idsOfContact } from '../../contact/read-contact.ts';
import { showConversations } from '../../conversation/show.ts';
import { COUNTED_CONVERSATIONS } from '../../counters/counted-collections.ts';
import type { Environment } from '../../environment.ts';
import type { Filter } from '../../model/collections.ts';
import type { ConversationDocument } from '../../model/conversation.ts';
import { type Query, skipOf } from '../lists/answer.ts';
import { type Lists, type Page, pageOf } from '../lists/page.ts';
import { answerPage, type Listing, rowsOf } from '../lists/parts.ts';
import { conversationIndex } from './indexes.ts';

const ORG = 'snapshot.orgId';
const STATUS = 'snapshot.status';

export const CONVERSATIONS: Listing<ListConversations, ConversationDocument> = {
  rest: 'conversations-rest',
  read: (store, ids) => store.find('conversations', ids, { project: { snapshot: 1 } }),
  show: (environment, { orgId }, documents) => {
    const states = documents.map(({ snapshot }) => snapshot.state);
    return showConversations(environment, orgId, states);
  },
};

export function listConversations(lists: Lists): Query<'conversations'> {
  return async (environment, query) => {
    await environment.readBarrier.pass(query.orgId);
    const { contactId } = query;
    const filter = filterOf(query);
    const found = await (contactId === undefined
      ? pageOfConversations(lists, query, filter)
      : ofContact(environment, { ...query, contactId }, filter));
    return answerPage(lists, CONVERSATIONS, { query, ...found });
  };
}

/** @param filter of the query */
export function pageOfConversations(
  lists: Lists,
  query: ListPanelConversations,
  filter: Filter<'conversations'>,
): Promise<Page<ConversationDocument>> {
  const { page, limit } = query;
  return pageOf(lists, {
    countedCollection: COUNTED_CONVERSATIONS,
    filter,
    indexedFilter: ofAnyStatus(filter),
    by: 'snapshot.lastMessageAt',
    index: conversationIndex(query),
    page,
    limit,
  });
}

/** For an index, which has the status before the order. */
export function ofAnyStatus(filter: Filter<'conversations'>): Filter<'conversations'> {
  return { [STATUS]: { $in: CONVERSATION_STATUSES }, ...filter };
}

/** A contact has one conversation per channel: few enough to be read whole. */
export async function ofContact(
  { store }: Environment,
  query: ListConversations & { readonly contactId: string },
  asked: Filter<'conversations'>,
): Promise<Page<ConversationDocument>> {
  const ids = await idsOfContact(store, query.contactId);
  const filter = { ...asked, 'snapshot.contactId': anyOf(ids) };
  const found = await store.find('conversations', filter, {
    project: { 'snapshot.lastMessageAt': 1 },
    index: { [ORG]: 1, 'snapshot.contactId': 1 },
  });
  const wanted = found.toSorted(newestFirst).slice(skipOf(query), skipOf(query) + query.limit);
  const names = wanted.map(({ _id }) => _id);
  return { rows: await rowsOf(store, 'conversations', names), total: found.length };
}

export interface Listed {
  readonly _id: string;
  readonly snapshot: Pick<ConversationDocument['snapshot'], 'lastMessageAt'>;
}

export function newestFirst(a: Listed, b: Listed): number {
  return b.snapshot.lastMessageAt - a.snapshot.lastMessageAt || (a._id < b._id ? 1 : -1);
}

export function filterOf({ orgId, status, channelId }: ListConversations): Filter<'conversations'> {
  return {
    'snapshot.orgId': orgId,
    ...(status === undefined ? {} : { 'snapshot.status': status }),
    ...(channelId === undefined ? {} : { 'snapshot.channelId': channelId }),
  };
}
