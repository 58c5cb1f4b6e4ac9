/**
 * Conversations as the panel shows them: with more filters, and with the contact's latest message.
 *
 * 1. A search finds the contact's name and phone as they are now, and the last message's text. The
 *    snapshot has all three as of the conversation's last entry.
 * 2. A contact may have been renamed since. Of the contacts with the text, the `RENAMED_MAX` that
 *    were updated last are looked up too.
 */
import type { RowFacts } from '../../../shared/api/panel-conversation.ts';
import { failure, renderFailure } from '../../../shared/failures.ts';
import { firstFound, searchTexts } from '../../../shared/text/search-texts.ts';
import { answerOf } from '../../../shared/wire/answer.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import type { ListPanelConversations } from '../../../shared/wire/queries.ts';
import { showConversations, showTagged } from '../../conversation/show.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { Filter } from '../../model/collections.ts';
import type { ConversationDocument } from '../../model/conversation.ts';
import { type Query, skipOf } from '../lists/answer.ts';
import type { Lists, Page } from '../lists/page.ts';
import { answerPage, type Listing, rowsOf } from '../lists/parts.ts';
import { longWindow, unionPage } from '../lists/union-page.ts';
import { contactsMatching, literal } from './contacts.ts';
import {
  filterOf,
  type Listed,
  newestFirst,
  ofAnyStatus,
  ofContact,
  pageOfConversations,
} from './conversations.ts';
import { lastRunOf } from './flow-runs.ts';
import { EVERY_CONVERSATION } from './indexes.ts';
import { readLastMessages } from './last-messages.ts';
import { conversationOf } from './messages.ts';
import { ofTaggedContacts } from './tagged-conversations.ts';

const RENAMED_MAX = 1_000;
const SEARCH = 'snapshot.search';
const ORDER = { 'snapshot.lastMessageAt': 1 } as const;

export const PANEL_CONVERSATIONS: Listing<ListPanelConversations, ConversationDocument> = {
  rest: 'panel-conversations-rest',
  read: (store, ids) => store.find('conversations', ids, { project: { snapshot: 1 } }),
  async show(environment, { orgId }, documents) {
    const states = documents.map(({ snapshot }) => snapshot.state);
    const [tagged, lastMessages] = await Promise.all([
      showTagged(environment, orgId, states),
      readLastMessages(environment.store, states),
    ]);
    return states.map((state, index) => {
      const { shown, contactTags = [] } = tagged[index] ?? {};
      const facts: RowFacts = { lastMessage: lastMessages.get(state.id) ?? null, contactTags };
      return { ...shown, ...inboundOf(state), ...facts, run: null };
    });
  },
};

export function listPanelConversations(lists: Lists): Query<'panel-conversations'> {
  return async (environment, query) => {
    await environment.readBarrier.pass(query.orgId);
    return answerPage(lists, PANEL_CONVERSATIONS, { query, ...(await find(lists, query)) });
  };
}

/** Follows a join: answers the conversation that stays. */
export const findPanelConversation: Query<'panel-conversation'> = async (environment, query) => {
  const { orgId, conversationId } = query;
  const { id, conversation } = await conversationOf(environment.store, conversationId);
  if (conversation?.orgId !== orgId) return renderFailure(failure('conversation_not_found'));
  const [[shown], lastRun] = await Promise.all([
    showConversations(environment, orgId, [conversation]),
    lastRunOf(environment.store, id),
  ]);
  const run = runOf(conversation);
  return answerOf({ data: { ...shown, ...inboundOf(conversation), run, lastRun } });
};

function find(lists: Lists, query: ListPanelConversations): Promise<Page<ConversationDocument>> {
  return firstFound(searchTexts(query.query ?? ''), (text) => findText(lists, query, text));
}

function findText(
  lists: Lists,
  query: ListPanelConversations,
  text: string,
): Promise<Page<ConversationDocument>> {
  const { contactId, tag } = query;
  const filter = panelFilter(query);
  if (tag !== undefined) {
    return ofTaggedContacts(lists.environment.store, query, { tag, text, filter });
  }
  const searched = text === '' ? filter : { ...filter, [SEARCH]: { $regex: literal(text) } };
  if (contactId !== undefined) {
    return ofContact(lists.environment, { ...query, contactId }, searched);
  }
  if (text === '') return pageOfConversations(lists, query, filter);
  return search(lists, query, {
    text,
    filter: ofAnyStatus(filter),
    searched: ofAnyStatus(searched),
  });
}

function panelFilter(query: ListPanelConversations): Filter<'conversations'> {
  const { assignedTo, unread } = query;
  return {
    ...filterOf(query),
    ...(assignedTo === undefined ? {} : { 'snapshot.assignedTo': assignedTo ?? '' }),
    ...(unread === undefined ? {} : { 'snapshot.hasUnread': true }),
  };
}

interface Search {
  readonly text: string;
  readonly filter: Filter<'conversations'>;
  /** The same with the text. */
  readonly searched: Filter<'conversations'>;
}

async function search(
  lists: Lists,
  query: ListPanelConversations,
  { text, filter, searched }: Search,
): Promise<Page<ConversationDocument>> {
  const { store } = lists.environment;
  const short = await renamed(lists, query, { text, filter });
  const page = { skip: skipOf(query), limit: query.limit };
  const [long, counted] = await Promise.all([
    store.find('conversations', searched, {
      ...longWindow(page, short.length),
      sort: { 'snapshot.lastMessageAt': -1, _id: -1 },
      index: EVERY_CONVERSATION,
      project: ORDER,
    }),
    store.count('conversations', searched, EVERY_CONVERSATION),
  ]);
  const ids = unionPage({ long, short }, page, newestFirst).map(({ _id }) => _id);
  return { rows: await rowsOf(store, 'conversations', ids), total: counted + short.length };
}

/** Conversations whose contact has the text, while their snapshot has not. */
async function renamed(
  lists: Lists,
  { orgId }: ListPanelConversations,
  { text, filter }: Omit<Search, 'searched'>,
): Promise<readonly Listed[]> {
  const ids = await contactsMatching(lists, { orgId, text }, { skip: 0, limit: RENAMED_MAX });
  if (ids.length === 0) return [];
  const found = await lists.environment.store.find(
    'conversations',
    { ...filter, 'snapshot.contactId': { $in: ids } },
    {
      project: { ...ORDER, [SEARCH]: 1 },
      index: { 'snapshot.orgId': 1, 'snapshot.contactId': 1 },
    },
  );
  return found.filter(({ snapshot }) => snapshot.search?.includes(text) !== true);
}

function inboundOf({ lastInboundAt }: ConversationState) {
  return { lastInboundAt: lastInboundAt === undefined ? null : timestamp(lastInboundAt) };
}

function runOf({ run }: ConversationState) {
  if (!run) return null;
  const { flowId, flowName, stepId: step, phase } = run;
  const until = 'until' in phase ? phase.until : null;
  return { flowId, flowName, step, waitingUntil: until === null ? null : timestamp(until) };
}
