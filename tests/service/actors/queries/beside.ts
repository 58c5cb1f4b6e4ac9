/** Questions that no simulated world asks, as the lines of code put them. */
import type { Filter, IndexKeys } from '../../../support/plain-store.ts';
import type { Question } from './recorder.ts';
import { ORG } from './rows-fixture.ts';

/** Of a channel's queue by urgency. */
const WAITING: IndexKeys = {
  ...{ 'send.channelId': 1, 'send.urgency': 1, 'send.at': 1 },
  'send.state': 1,
};

/** Where simulated worlds do not come: long backlogs, restrictions, and what operators do. */
export const BESIDE: readonly Pick<Question, 'site' | 'collection' | 'filter' | 'options'>[] = [
  {
    site: 'actors/organization/documents.ts 4',
    collection: 'tags',
    filter: { _id: { $gte: `${ORG}/`, $lt: `${ORG}0` } },
    options: { sort: { _id: 1 }, limit: 1_000 },
  },
  ...[
    { site: 'actors/organization/memberships.ts 1', filter: { 'members.person': 'prs_1' } },
    { site: 'actors/organization/memberships.ts 2', filter: { _id: ORG } },
  ].map((asked) => ({ ...asked, collection: 'organizations', options: { limit: 200 } })),
  ...[
    { site: 'actors/organization/sessions.ts 1', filter: { _id: 'digest_1' }, options: {} },
    ...[{ id: 'ses_1' }, { memberId: 'mbr_1' }, {}].map((which, at) => ({
      site: `actors/organization/sessions.ts ${at === 0 ? 2 : 3}`,
      filter: { orgId: ORG, ...which },
      options: at === 0 ? {} : ({ sort: { createdAt: -1 }, limit: 500 } as const),
    })),
  ].map((asked) => ({ ...asked, collection: 'sessions' })),
  {
    site: 'actors/organization/quick-replies.ts 1',
    collection: 'quickReplies',
    filter: { orgId: ORG },
    options: { limit: 200 },
  },
  {
    site: 'actors/organization/flows.ts 1',
    collection: 'conversations',
    filter: { 'snapshot.orgId': ORG, 'snapshot.contactId': 'ctc_1' },
    options: { sort: { 'snapshot.lastMessageAt': -1, _id: -1 }, limit: 1 },
  },
  // Asked only where a timer could not move, which few worlds meet.
  {
    site: 'actors/conversation/flow/stored-timers.ts 1',
    collection: 'entries',
    filter: { conversationId: 'cnv_1', seq: 9 },
    options: { limit: 1, project: { timer: 1 } },
  },
  ...pagesAfter(
    'entries',
    {
      ...{ timer: { $exists: true }, 'timer.partition': { $in: [1, 2, 3] } },
      ...{ 'timer.at': { $lte: 1_000 }, 'timer.orgId': { $nin: ['org_full'] } },
      'timer.place': { $in: [null, 20, 40] },
    },
    { 'timer.partition': 1, 'timer.at': 1, _id: 1, 'timer.orgId': 1, 'timer.place': 1 },
  ),
  ...pagesAfter(
    'tasks',
    {
      ...{ partition: { $in: [1, 2, 3] }, place: { $in: [null, 20, 40] } },
      ...{ remindAt: { $lte: 1_000 }, pending: { $exists: false } },
    },
    { partition: 1, remindAt: 1, _id: 1, place: 1 },
  ),
  ...pagesAfter(
    'deliveries',
    {
      ...{ 'state.status': 'pending', partition: { $in: [1, 2, 3] } },
      place: { $in: [null, 20, 40] },
      ...{ 'state.nextAttemptAt': { $lte: 1_000 }, subscriptionId: { $nin: ['sub_busy'] } },
    },
    { partition: 1, 'state.nextAttemptAt': 1, _id: 1, place: 1 },
  ),
  {
    site: 'actors/queries/lists/parts.ts 1',
    collection: 'entries',
    filter: { _id: { $in: ['msg_1', 'msg_2'] } },
    options: { wholeMaxBytes: 8192 },
  },
  {
    site: 'actors/channel/cancel-bulk.ts 1',
    collection: 'entries',
    filter: {
      ...{ 'send.channelId': 'chn_1', 'send.urgency': 'bulk', 'send.state': 'queued' },
      'send.at': { $lte: 9 },
    },
    options: {
      sort: { 'send.at': -1 },
      ...({ limit: 200, project: { conversationId: 1 } } as const),
      index: WAITING,
    },
  },
  {
    site: 'actors/conversation/log/newest-first.ts 1',
    collection: 'entries',
    filter: { conversationId: 'cnv_1' },
    options: { sort: { seq: -1 }, limit: 1, project: { seq: 1 } },
  },
  ...[{ seq: { $lte: 1_900 } }, { seq: { $lt: 9 }, 'message.direction': { $ne: 'note' } }].map(
    (where) => ({
      site: 'actors/conversation/log/newest-first.ts 2',
      collection: 'entries',
      filter: {
        ...{ conversationId: 'cnv_1', 'ownPlace.seq': { $not: { $lte: 1_900 } } },
        ...{ message: { $exists: true }, ...where },
      },
      options: {
        sort: { seq: -1 },
        ...{ skip: 10, limit: 200 },
        index: { conversationId: 1, seq: -1 },
        project: { seq: 1, message: 1, after: 1 },
      } as const,
    }),
  ),
  {
    site: 'actors/conversation/log/newest-first.ts 3',
    collection: 'entries',
    filter: {
      ...{ conversationId: 'cnv_1', ownPlace: { $exists: true } },
      ...{ 'ownPlace.seq': { $lte: 1_900 }, message: { $exists: true } },
    },
    options: {
      sort: { 'ownPlace.at': -1, 'ownPlace.seq': -1 },
      ...{ skip: 10, limit: 200, project: { ownPlace: 1 } },
      index: { conversationId: 1, 'ownPlace.at': -1, 'ownPlace.seq': -1 },
    },
  },
  {
    site: 'actors/search/contact-reads.ts 4',
    collection: 'contacts',
    filter: { _id: { $in: ['ctc_1', 'ctc_2'] } },
    options: { project: { search: 1, updatedAt: 1 } },
  },
  {
    site: 'actors/channel/sending/restricted-sends.ts 1',
    collection: 'entries',
    filter: { conversationId: 'cnv_1' },
    options: { sort: { seq: -1 }, limit: 1, project: { after: 1 } },
  },
  {
    site: 'actors/conversation/log/log.ts 2',
    collection: 'entries',
    filter: { conversationId: 'cnv_1', seq: { $lte: 9 }, 'message.direction': 'in' },
    options: { sort: { seq: -1 }, limit: 200, project: { seq: 1, message: 1 } },
  },
  {
    site: 'actors/conversation/kind.ts 3',
    collection: 'entries',
    filter: { pending: 3, conversationId: { $gte: 'cnv_1' } },
    options: { sort: { conversationId: 1, seq: 1 }, limit: 500 },
  },
  {
    site: 'actors/outbox/unpublished-outbox.ts 2',
    collection: 'entries',
    filter: { pending: 3, conversationId: 'cnv_1' },
    options: { sort: { conversationId: 1, seq: 1 } },
  },
  {
    site: 'actors/subscription/streams/predecessors.ts 1',
    collection: 'deliveries',
    filter: { _id: { $in: ['dlv_1', 'dlv_2'] } },
    options: {},
  },
  {
    site: 'actors/subscription/streams/predecessors.ts 2',
    collection: 'entries',
    filter: {
      ...{ pending: { $in: [3] }, conversationId: { $in: ['cnv_1'] } },
      'outbox.id': { $in: ['evt_1'] },
    },
    options: { project: { outbox: 1 } },
  },
  ...['deals', 'tasks', 'contacts'].map((collection) => ({
    ...{ site: 'actors/subscription/streams/predecessors.ts 2', collection },
    ...{ filter: { _id: { $in: ['id_1'] } }, options: { project: { outbox: 1 } } as const },
  })),
  {
    site: 'actors/task/reminder-sender.ts 1',
    collection: 'tasks',
    filter: { _id: 'task_1' },
    options: { limit: 1 },
  },
  ...[{ 'state.nextAttemptAt': 1 } as const, { createdAt: 1, _id: 1 } as const].map((sort) => ({
    site: 'actors/subscription/deliveries/triage.ts 1',
    collection: 'deliveries',
    filter: { subscriptionId: 'sub_3', 'state.series': 1 },
    options: { sort, limit: 200 },
  })),
];

/** Pages of an agenda after its first: of the last document's time, and later. */
function pagesAfter(collection: string, filter: Filter, index: IndexKeys) {
  const path = ['timer.at', 'remindAt', 'state.nextAttemptAt'].find((each) => each in filter) ?? '';
  const later = { ...filter, [path]: { ...Object(filter[path]), $gt: 500 } };
  const ofOneTime = { ...filter, [path]: 500, _id: { $gt: 'msg_1' } };
  const at = { site: 'actors/runtime/pages.ts 1', collection };
  const sort = { [path]: 1, _id: 1 } as const;
  return [
    { ...at, filter: later, options: { sort, limit: 1_000 } },
    { ...at, filter: ofOneTime, options: { sort: { _id: 1 } as const, limit: 1_000, index } },
  ];
}
