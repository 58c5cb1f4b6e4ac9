/** Every query of the actors, asked in every way that its filters can be combined. */
import type { Lists } from '../../../../actors/queries/lists/page.ts';
import { queriesOf } from '../../../../actors/queries/serve.ts';
import type {
  ListContacts,
  ListConversations,
  ListDeals,
  ListMessages,
  ListPanelConversations,
  ListTasks,
  ListTemplates,
} from '../../../../shared/wire/queries.ts';
import { ORG } from './rows-fixture.ts';

const PAGE = { orgId: ORG, page: 2, limit: 10 };

/** All filters of a list; a filter that is added has to be added here. */
type All<List> = Required<Omit<List, keyof typeof PAGE>>;

const contacts: All<ListContacts> = {
  query: 'maria',
  queryPhone: '5491123456789',
  phone: '551191',
  tag: 'vip',
  optIn: true,
  optOut: true,
};
const conversations: All<ListConversations> = {
  status: 'open',
  channelId: 'chn_0',
  contactId: 'ctc_1',
};
const panelConversations: All<ListPanelConversations> = {
  ...conversations,
  ...{ assignedTo: 'mbr_1', unread: true, query: 'maria', tag: 'vip' },
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
const templates: All<ListTemplates> = { channelId: 'chn_1', status: 'PAUSED', query: 'maria' };
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

const due = { assigneeId: 'mbr_3' };
const dueTimes = [undefined, 'late', 'today', 'later', 'none'].flatMap((time) =>
  ['open', 'done'].flatMap((status) =>
    subsets(due).map((filters) => ({
      ...{ ...PAGE, ...filters, status, timeZone: 'America/Sao_Paulo' },
      ...(time === undefined ? {} : { due: time }),
    })),
  ),
);

const PAYLOADS: Readonly<Record<string, readonly object[]>> = {
  agendas: [{}],
  backlogs: [{ channelIds: ['chn_1'] }],
  'channel-check': [{ channel: 'chn_none', organization: null }],
  channels: [{ orgId: ORG, channelId: null }],
  contacts: subsets(contacts).map((filters) => ({ ...PAGE, ...filters })),
  conversations: subsets(conversations).map((filters) => ({ ...PAGE, ...filters })),
  'panel-conversation': [{ orgId: ORG, conversationId: 'cnv_1' }],
  'panel-conversations': [
    ...subsets(panelConversations).map((filters) => ({ ...PAGE, ...filters })),
    { ...PAGE, assignedTo: null },
  ],
  messages: [
    ...messages.map((filters) => ({ ...PAGE, ...filters })),
    ...messages.map((filters) => ({ ...PAGE, ...filters, status: 'scheduled' as const })),
  ],
  'phones-on-record': [
    { orgId: ORG, phones: ['551191', '5411911'] },
    { orgId: ORG, phones: ['551191'], claim: { id: 'idm_x', holder: 'h' } },
  ],
  pipelines: [{ orgId: ORG }],
  'deal-sums': [{ orgId: ORG, pipelineId: 'ppl_0' }],
  deals: subsets(deals).map((filters) => ({ ...PAGE, ...filters })),
  'sync-templates': [{ orgId: ORG, channel: null }],
  templates: subsets(templates).map((filters) => ({ ...PAGE, ...filters })),
  tasks: subsets(tasks).map((filters) => ({ ...PAGE, ...filters })),
  'contacts-rest': [left({})],
  'conversations-rest': [left({})],
  'panel-conversations-rest': [left({})],
  'messages-rest': messages.map(left),
  'deals-rest': [left({})],
  'tasks-rest': [left({})],
  'templates-rest': [left({})],
  contact: [{ id: 'ctc_1' }, { orgId: ORG, phone: '+5511987654321' }],
  conversation: [{ id: 'cnv_1' }],
  deliveries: subsets(deliveries).flatMap((filters) => [
    { orgId: ORG, ...filters },
    { orgId: ORG, ...filters, from: { createdAt: 900, ids: ['dlv_1'], answered: 200 } },
  ]),
  'audit-page': [PAGE],
  'deliveries-page': subsets(deliveries).map((filters) => ({ ...PAGE, ...filters })),
  'delivery-owners': [{ orgId: ORG, ids: ['dlv_1', 'dlv_5'] }],
  'due-tasks': dueTimes,
  delivery: [{ id: 'dlv_1' }],
  flow: [{ orgId: ORG, flowId: 'flw_1' }],
  'flow-run': [{ orgId: ORG, conversationId: 'cnv_1' }],
  'flow-runs': [{ orgId: ORG, flowId: 'flw_1' }],
  'flow-state': [{ orgId: ORG, flowId: 'flw_1' }],
  'flow-states': [{ orgId: ORG }],
  flows: [{ orgId: ORG, channelId: null }],
  'idempotency-claim': [call],
  'idempotency-settle': [call],
  'inbound-webhook': [{ channelId: 'chn_1' }],
  'join-spellings': [{ orgId: ORG }, { orgId: ORG, prefix: 1, after: '5411' }],
  key: [{ digest: 'digest_1' }],
  keys: [{ digests: ['digest_1', 'digest_2'] }],
  library: [{ orgId: ORG }],
  'library-end': [],
  'library-page': [PAGE],
  'library-part': [],
  media: [],
  message: [{ orgId: ORG, messageId: 'msg_1' }],
  'message-place': [{ orgId: ORG, messageId: 'msg_1' }],
  'own-contact': [{ orgId: ORG, id: 'ctc_1' }],
  'own-conversation': [{ orgId: ORG, id: 'cnv_1', channelScope: null }],
  'own-deal': [{ orgId: ORG, id: 'deal_1' }],
  'own-delivery': [{ orgId: ORG, id: 'dlv_1' }],
  'own-message': [{ orgId: ORG, id: 'msg_1', channelScope: null }],
  'own-task': [{ orgId: ORG, id: 'task_1' }],
  'upload-end': [],
  'upload-part': [],
  'key-owner': [{ keyId: 'key_1' }],
  operation: [{}],
  'organization-refs': [{ orgIds: ['org_1', 'org_2'] }],
  organizations: [{}],
  'send-invitation': [{ orgId: ORG, memberId: 'mbr_1', inviter: 'Ana', seed: 'seed_1' }],
  recount: [0, 1, 2, 3].map((step) => ({ orgId: ORG, step })),
  'sandbox-channels': [{}],
  'tags-page': [PAGE],
  team: [{ orgId: ORG }],
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
