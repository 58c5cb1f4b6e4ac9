/** Every query of the actors, asked in every way that its filters can be combined. */
import type { Lists } from '../../../actors/queries/page.ts';
import { queriesOf } from '../../../actors/queries/serve.ts';
import type {
  ListContacts,
  ListConversations,
  ListDeals,
  ListMessages,
  ListTasks,
} from '../../../shared/wire/queries.ts';
import { ORG } from './rows-fixture.ts';

const PAGE = { orgId: ORG, page: 2, limit: 10 };

/** All filters of a list; a filter that is added has to be added here. */
type All<List> = Required<Omit<List, keyof typeof PAGE>>;

const contacts: All<ListContacts> = { query: 'maria', phone: '551191' };
const conversations: All<ListConversations> = {
  status: 'open',
  channelId: 'chn_0',
  contactId: 'ctc_1',
};
const deals: All<ListDeals> = {
  status: 'open',
  pipelineId: 'ppl_0',
  stageId: 'stg_0',
  contactId: 'ctc_0',
};
const tasks: All<ListTasks> = {
  status: 'open',
  contactId: 'ctc_1',
  dealId: 'deal_1',
  assigneeId: 'mbr_3',
};
const messages: Omit<ListMessages, keyof typeof PAGE>[] = [true, false].map((includeNotes) => {
  return { conversationId: 'cnv_1', includeNotes, channelScope: null };
});
const deliveries = { subscription: 'sub_1', status: 'failed', since: 10, until: 1_000 };
const call = { id: 'idm_x', fingerprint: 'f', holder: 'h', answer: null };

/** The rest of a page: two documents of it. */
const left = (query: object) => ({
  query: { ...PAGE, ...query },
  rows: [
    ['x_1', 100],
    ['x_2', 100],
  ],
  begun: true,
  tail: ']}',
});

const PAYLOADS: Readonly<Record<string, readonly object[]>> = {
  'channel-check': [{ channel: 'chn_none', organization: null }],
  channels: [{ orgId: ORG, channelId: null }],
  contacts: subsets(contacts).map((filters) => ({ ...PAGE, ...filters })),
  conversations: subsets(conversations).map((filters) => ({ ...PAGE, ...filters })),
  messages: messages.map((filters) => ({ ...PAGE, ...filters })),
  pipelines: [{ orgId: ORG }],
  deals: subsets(deals).map((filters) => ({ ...PAGE, ...filters })),
  tasks: subsets(tasks).map((filters) => ({ ...PAGE, ...filters })),
  'contacts-rest': [left({})],
  'conversations-rest': [left({})],
  'messages-rest': messages.map(left),
  'deals-rest': [left({})],
  'tasks-rest': [left({})],
  contact: [{ id: 'ctc_1' }, { orgId: ORG, phone: '+5511987654321' }],
  conversation: [{ id: 'cnv_1' }],
  deliveries: subsets(deliveries).flatMap((filters) => [
    { orgId: ORG, ...filters },
    { orgId: ORG, ...filters, from: { createdAt: 900, ids: ['dlv_1'], answered: 200 } },
  ]),
  delivery: [{ id: 'dlv_1' }],
  flow: [{ orgId: ORG, flowId: 'flw_1' }],
  flows: [{ orgId: ORG, channelId: null }],
  'idempotency-claim': [call],
  'idempotency-settle': [call],
  'inbound-webhook': [{ channelId: 'chn_1' }],
  key: [{ digest: 'digest_1' }],
  keys: [{ digests: ['digest_1', 'digest_2'] }],
  library: [{ orgId: ORG }],
  media: [],
  'key-owner': [{ keyId: 'key_1' }],
  organizations: [{}],
  recount: [0, 1, 2, 3].map((step) => ({ orgId: ORG, step })),
  'sandbox-channels': [{}],
  tags: [{ orgId: ORG }, { orgId: ORG, limit: 2_000, from: { after: 'vip', answered: 1_000 } }],
};

/** Every choice among the fields, the empty one too. */
function subsets(fields: object): readonly object[] {
  let chosen: readonly object[] = [{}];
  for (const [name, value] of Object.entries(fields)) {
    chosen = [...chosen, ...chosen.map((each) => ({ ...each, [name]: value }))];
  }
  return chosen;
}

/** Names a query that is not asked here. */
export async function askEveryQuery(lists: Lists): Promise<readonly string[]> {
  const queries = queriesOf(lists);
  for (const [resource, query] of Object.entries(queries)) {
    for (const payload of PAYLOADS[resource] ?? []) await query(lists.environment, payload);
  }
  return Object.keys(queries).filter((resource) => !(resource in PAYLOADS));
}
