/**
 * Questions that simulated worlds do not ask: about people and their panel, streams, statuses of
 * many messages at once, and those of operators about deliveries.
 */
import type { Question } from './recorder.ts';
import { ORG } from './rows-fixture.ts';

const OF_AUDIT = { orgId: 1, at: -1, _id: -1 } as const;
const OF_STAGE = {
  'state.orgId': 1,
  'state.stageId': 1,
  'state.pipelineId': 1,
  'state.status': 1,
} as const;
const LIST_OF_STAGE = {
  'state.orgId': 1,
  'state.stageId': 1,
  'state.status': 1,
  'state.updatedAt': -1,
  _id: -1,
} as const;
const OF_FLOW_SORT = { 'ended.at': -1, _id: -1 } as const;
const members = { name: 1, members: 1, removed: 1 } as const;

export type RareQuestion = Pick<Question, 'site' | 'collection' | 'filter' | 'options'> &
  Partial<Pick<Question, 'how'>>;

const OF_STREAM = { subscriptionId: 'sub_1', 'state.status': 'pending', order: { $gt: '' } };

export const RARE_QUESTIONS: readonly RareQuestion[] = [
  {
    site: 'actors/channel/receiving/named-message.ts 2',
    collection: 'entries',
    filter: { _id: { $in: ['msg_1', 'msg_5'] }, channelId: 'chn_1' },
    options: { project: { conversationId: 1 } },
  },
  {
    site: 'actors/channel/receiving/named-message.ts 3',
    collection: 'entries',
    filter: {
      channelId: 'chn_1',
      externalId: { $in: ['wamid.1', 'wamid.5'] },
      'message.direction': 'out',
    },
    options: { project: { conversationId: 1, externalId: 1, message: 1 } },
  },
  {
    site: 'actors/conversation/flow/last-received.ts 1',
    collection: 'entries',
    filter: { conversationId: 'cnv_1', 'message.direction': 'in' },
    options: { sort: { seq: -1 }, limit: 20 },
  },
  {
    site: 'actors/conversation/turns/own-reactions.ts 1',
    collection: 'entries',
    filter: { conversationId: 'cnv_1', 'message.direction': 'out' },
    options: { sort: { seq: -1 }, limit: 50, project: { message: 1 } },
  },
  {
    site: 'actors/organization/pipelines.ts 1',
    collection: 'deals',
    filter: { 'state.orgId': ORG, 'state.stageId': { $in: ['stg_1', 'stg_2'] } },
    options: { limit: 1, project: { _id: 1 } },
  },
  {
    site: 'actors/organization/stage-follower.ts 1',
    collection: 'organizations',
    filter: { 'leftStages.moving': true, _id: { $gt: '' } },
    options: { sort: { _id: 1 }, limit: 100, project: { leftStages: 1 } },
  },
  {
    site: 'actors/organization/stage-follower.ts 2',
    collection: 'deals',
    filter: { 'state.orgId': ORG, 'state.stageId': 'stg_1' },
    options: { index: OF_STAGE, limit: 50, project: { _id: 1 } },
  },
  {
    // A list of a stage while deals of a removed one are on their way there.
    site: 'actors/queries/lists/page.ts 2',
    collection: 'deals',
    filter: {
      ...{ 'state.status': { $in: ['open', 'won', 'lost'] }, 'state.orgId': ORG },
      'state.stageId': { $in: ['stg_1', 'stg_2'] },
    },
    options: { sort: { 'state.updatedAt': -1, _id: -1 }, limit: 50, index: LIST_OF_STAGE },
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 1',
    how: 'count',
    collection: 'deliveries',
    filter: { ...OF_STREAM, 'state.position': { $gt: 0 } },
    options: {},
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 2',
    collection: 'deliveries',
    filter: { ...OF_STREAM, 'state.position': null },
    options: { sort: { order: 1 }, limit: 100 },
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 3',
    collection: 'deliveries',
    filter: { _id: { $in: ['dlv_1', 'dlv_5'] } },
    options: {},
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 4',
    collection: 'deliveries',
    filter: { ...OF_STREAM, 'state.position': null },
    options: { sort: { order: -1 }, limit: 1, project: { order: 1 } },
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 5',
    how: 'count',
    collection: 'deliveries',
    filter: OF_STREAM,
    options: {},
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 6',
    collection: 'deliveries',
    filter: { ...OF_STREAM, 'state.position': null },
    options: { sort: { order: 1 }, limit: 1_000, project: { order: 1 } },
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 7',
    collection: 'deliveries',
    filter: { ...OF_STREAM, generation: { $exists: true, $ne: 7 } },
    options: { limit: 1_000 },
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 8',
    collection: 'deliveries',
    filter: { ...OF_STREAM, order: { $gt: '', $lte: '9' }, 'state.position': null },
    options: { sort: { order: -1 }, project: { 'state.position': 1 } },
  },
  {
    site: 'actors/subscription/streams/stored-stream.ts 8',
    collection: 'deliveries',
    filter: { ...OF_STREAM, 'state.position': { $gt: 0 } },
    options: { sort: { 'state.position': 1 }, project: { 'state.position': 1 } },
  },
  {
    site: 'actors/subscription/streams/streams.ts 1',
    collection: 'streams',
    filter: { partition: { $in: [0, 1] } },
    options: {},
  },
  {
    site: 'actors/queries/operation.ts 2',
    collection: 'organizations',
    filter: { 'subscriptions.id': 'sub_1' },
    options: { limit: 1, project: { ref: 1, name: 1, subscriptions: 1 } },
  },
  {
    site: 'actors/organization/memberships.ts 1',
    collection: 'organizations',
    filter: { 'members.person': 'prs_1' },
    options: { limit: 200, project: members },
  },
  {
    site: 'actors/organization/memberships.ts 2',
    collection: 'organizations',
    filter: { _id: 'org_1' },
    options: { limit: 1, project: members },
  },
  {
    site: 'actors/organization/sessions.ts 1',
    collection: 'sessions',
    filter: { _id: 'digest_1' },
    options: { limit: 1 },
  },
  {
    site: 'actors/organization/sessions.ts 2',
    collection: 'sessions',
    filter: { orgId: 'org_1', id: 'ses_1' },
    options: { limit: 1 },
  },
  {
    site: 'actors/organization/sessions.ts 3',
    collection: 'sessions',
    filter: { orgId: 'org_1' },
    options: { sort: { createdAt: -1 }, limit: 500 },
  },
  {
    site: 'actors/person/documents.ts 1',
    collection: 'persons',
    filter: { _id: 'prs_1' },
    options: { limit: 1 },
  },
  {
    site: 'actors/person/earlier-passphrase.ts 1',
    collection: 'organizations',
    filter: { 'members.person': 'prs_1' },
    options: { project: { _id: 1 }, limit: 2 },
  },
  {
    site: 'actors/person/earlier-passphrase.ts 2',
    collection: 'audit',
    filter: { orgId: ORG, 'subject.id': 'prs_1', 'by.operation': 'setPassphrase' },
    options: { sort: { at: -1 }, limit: 1 },
  },
  {
    site: 'actors/queries/audit.ts 1',
    collection: 'audit',
    filter: { orgId: ORG },
    options: { sort: { at: -1, _id: -1 }, skip: 50, limit: 51, index: OF_AUDIT },
  },
  {
    site: 'actors/queries/conversations/flow-runs.ts 1',
    collection: 'entries',
    filter: { ended: { $exists: true }, 'ended.flowId': 'flw_1' },
    options: { sort: OF_FLOW_SORT, limit: 30, index: { 'ended.flowId': 1, ...OF_FLOW_SORT } },
  },
  {
    site: 'actors/queries/conversations/flow-runs.ts 2',
    collection: 'entries',
    filter: { conversationId: 'cnv_3', ended: { $exists: true } },
    options: { sort: { 'ended.at': -1 }, limit: 1, index: { conversationId: 1, 'ended.at': -1 } },
  },
  {
    site: 'actors/queries/conversations/last-messages.ts 1',
    collection: 'entries',
    filter: {
      $or: [
        { conversationId: 'cnv_1', seq: 21 },
        { conversationId: 'cnv_2', seq: 62 },
      ],
    },
    options: {
      project: { conversationId: 1, message: 1 },
      index: { conversationId: 1, seq: -1 },
    },
  },
  {
    site: 'actors/queries/conversations/panel-conversations.ts 1',
    collection: 'conversations',
    filter: { _id: { $in: ['cnv_1', 'cnv_2'] } },
    options: { project: { snapshot: 1 } },
  },
  {
    site: 'actors/queries/conversations/panel-conversations.ts 4',
    collection: 'conversations',
    filter: { 'snapshot.orgId': ORG, 'snapshot.contactId': { $in: ['ctc_1', 'ctc_2'] } },
    options: { index: { 'snapshot.orgId': 1, 'snapshot.contactId': 1 } },
  },
  {
    site: 'actors/subscription/actor.ts 1',
    collection: 'deliveries',
    filter: { subscriptionId: 'sub_1', _id: { $in: ['dlv_1', 'dlv_5'] } },
    options: {},
  },
  {
    site: 'actors/subscription/actor.ts 2',
    collection: 'deliveries',
    filter: {
      subscriptionId: 'sub_1',
      'state.status': { $in: ['failed', 'parked'] },
      createdAt: { $gte: 10, $lte: 1_000 },
    },
    options: { sort: { createdAt: 1, _id: 1 }, limit: 500 },
  },
  {
    site: 'actors/subscription/deliveries/retry.ts 1',
    collection: 'deliveries',
    filter: { _id: { $in: ['dlv_1', 'dlv_5'] } },
    options: {},
  },
  ...[{ 'state.nextAttemptAt': 1 } as const, { createdAt: 1, _id: 1 } as const].map((sort) => ({
    site: 'actors/subscription/deliveries/triage.ts 1',
    collection: 'deliveries',
    filter: { subscriptionId: 'sub_3', 'state.series': 1 },
    options: { sort, limit: 200 },
  })),
];
