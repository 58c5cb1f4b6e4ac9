/** GET /api/v1/conversations: by latest message, newest first (C4.7). */
import type { Filter } from '../../shared/ports/store.ts';
import { CONVERSATION_STATUSES } from '../../shared/vocabulary.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { ListConversations } from '../../shared/wire/queries.ts';
import { anyOf, idsOfContact } from '../contact/api.ts';
import type { ConversationDocument } from '../conversation/api.ts';
import { COUNTED_CONVERSATIONS } from '../counters/counted-collections.ts';
import type { ConversationState } from '../domain/conversation.ts';
import type { ChannelEntry } from '../domain/organization/state.ts';
import type { Environment } from '../environment.ts';
import { readOrganization } from '../organization/api.ts';
import { type Query, skipOf } from './answer.ts';
import { type Lists, listIndex, type Page, pageOf } from './page.ts';
import { answerPage, type Listing, rowsOf } from './parts.ts';

const ORG = 'snapshot.orgId';
const STATUS = 'snapshot.status';

export const CONVERSATIONS: Listing<ListConversations, ConversationDocument> = {
  rest: 'conversations-rest',
  collection: 'conversations',
  project: { snapshot: 1 },
  show: (environment, { orgId }, documents) => {
    const states = documents.map(({ snapshot }) => snapshot.state);
    return showConversations(environment, orgId, states);
  },
};

export function listConversations(lists: Lists): Query<'conversations'> {
  return async (environment, query) => {
    await environment.readBarrier.pass();
    const { contactId } = query;
    const found = await (contactId === undefined
      ? listed(lists, query)
      : ofContact(environment, query, contactId));
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

function listed(lists: Lists, query: ListConversations): Promise<Page<ConversationDocument>> {
  const { channelId, page, limit } = query;
  const filter = filterOf(query);
  const indexed = channelId === undefined ? [ORG, STATUS] : [ORG, 'snapshot.channelId', STATUS];
  return pageOf<ConversationDocument>(lists, {
    countedCollection: COUNTED_CONVERSATIONS,
    filter,
    // Every index has the status before the order: a list of all statuses merges three scans.
    indexedFilter: { 'snapshot.status': { $in: CONVERSATION_STATUSES }, ...filter },
    by: 'snapshot.lastMessageAt',
    index: listIndex(indexed, 'snapshot.lastMessageAt'),
    page,
    limit,
  });
}

/** A contact has one conversation per channel: few enough to be read whole. */
async function ofContact(
  { store }: Environment,
  query: ListConversations,
  contactId: string,
): Promise<Page<ConversationDocument>> {
  const ids = await idsOfContact(store, contactId);
  const filter = { ...filterOf(query), 'snapshot.contactId': anyOf(ids) };
  const found = await store.find('conversations', filter, {
    project: { 'snapshot.lastMessageAt': 1 },
    index: { [ORG]: 1, 'snapshot.contactId': 1 },
  });
  const wanted = found.toSorted(newestFirst).slice(skipOf(query), skipOf(query) + query.limit);
  const names = wanted.map(({ _id }) => _id);
  return { rows: await rowsOf(store, 'conversations', names), total: found.length };
}

function newestFirst(a: ConversationDocument, b: ConversationDocument): number {
  return b.snapshot.lastMessageAt - a.snapshot.lastMessageAt || (a._id < b._id ? 1 : -1);
}

function filterOf({ orgId, status, channelId }: ListConversations): Filter {
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
  };
}
