/** GET /api/v1/conversations: by latest message, newest first (C4.7). */
import { CONVERSATION_STATUSES } from '../../../shared/vocabulary.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import type { ListConversations, ListPanelConversations } from '../../../shared/wire/queries.ts';
import { anyOf, idsOfContact } from '../../contact/read-contact.ts';
import { COUNTED_CONVERSATIONS } from '../../counters/counted-collections.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { windowExpiresAt } from '../../domain/conversation/window.ts';
import type { ChannelEntry } from '../../domain/organization.ts';
import type { Environment } from '../../environment.ts';
import type { Filter } from '../../model/collections.ts';
import type { ConversationDocument } from '../../model/conversation.ts';
import { readOrganization } from '../../organization/read-organization.ts';
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

/** Conversations of one organization, with the current names of their contacts. */
export async function showConversations(
  environment: Environment,
  orgId: string,
  states: readonly ConversationState[],
): Promise<readonly object[]> {
  const [names, organization] = await Promise.all([
    contactNames(environment, states),
    readOrganization(environment.store, orgId, ['channels']),
  ]);
  const channels = new Map(organization?.channels.map((channel) => [channel.id, channel]));
  return states.map((state) =>
    renderConversation(state, {
      channel: channels.get(state.channelId),
      name: names.get(state.contact.id) ?? state.contact.name,
    }),
  );
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

/** Names change in the contact only: a page reads the current ones. */
async function contactNames(
  { store }: Environment,
  states: readonly ConversationState[],
): Promise<ReadonlyMap<string, string | null>> {
  const ids = states.map(({ contact }) => contact.id);
  const contacts = await store.find('contacts', { _id: { $in: ids } }, { project: { name: 1 } });
  return new Map(contacts.map((contact) => [contact._id, contact.name]));
}

function renderConversation(
  state: ConversationState,
  now: { readonly channel: ChannelEntry | undefined; readonly name: string | null },
): Record<string, unknown> {
  const { channel, name } = now;
  const { label = '', provider = 'cloud' } = channel ?? {};
  const { contact, automationPausedUntil: paused } = state;
  const expiresAt = provider === 'cloud' ? windowExpiresAt(state) : null;
  return {
    id: state.id,
    status: state.status,
    channel: { id: state.channelId, label, provider },
    contact: { id: contact.id, phone: contact.phone, name },
    assignedTo: state.assignedTo,
    participants: state.participants,
    unread: state.unread,
    lastMessageAt: timestamp(state.lastMessageAt),
    lastMessagePreview: state.lastMessagePreview,
    automationPausedUntil: paused === null ? null : timestamp(paused),
    createdAt: timestamp(state.createdAt),
    windowExpiresAt: expiresAt === null ? null : timestamp(expiresAt),
  };
}
