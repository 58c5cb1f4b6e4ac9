/** Queries of conversations' logs, of their snapshots, and of the records of channels. */
import fc from 'fast-check';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import { conversationId, ENTRIES, entryId, externalId } from './log-writes.ts';
import type { Operation } from './operation.ts';
import {
  byId,
  CHANNELS,
  count,
  either,
  few,
  find,
  findOne,
  moment,
  ORG,
  paged,
  someOf,
} from './words.ts';

const conversationPartition = conversationId.map((id) => partitionOf('conversation', id));
const channelPartition = fc.constantFrom(...CHANNELS.map((id) => partitionOf('channel', id)));
const channelPartitions = someOf(CHANNELS.map((id) => partitionOf('channel', id)));

const named = {
  channelId: either(...CHANNELS),
  externalId,
  conversationId,
  'message.direction': either('in', 'out'),
};
const inConversation = conversationId.map((id) => ({ conversationId: id }));
const newestFirst = { sort: { seq: -1 } } as const;

const entryReads: fc.Arbitrary<Operation> = fc.oneof(
  byId('entries', entryId),
  find({ collection: 'entries', filter: someOf(ENTRIES).map((ids) => ({ _id: { $in: ids } })) }),
  findOne({
    collection: 'entries',
    filter: inConversation,
    options: { ...newestFirst, project: { after: 1 } },
  }),
  find({ collection: 'entries', filter: inConversation, options: { ...newestFirst, limit: 1 } }),
  find({
    collection: 'entries',
    filter: inConversation,
    options: { ...newestFirst, limit: 2, project: { externalId: 1 } },
  }),
  find({
    collection: 'entries',
    filter: inConversation,
    options: { ...newestFirst, limit: 2, project: { send: 1 } },
  }),
  findOne({
    collection: 'entries',
    filter: fc.record(named, { requiredKeys: ['channelId', 'externalId'] }),
    options: { project: { conversationId: 1, message: 1, after: 1 } },
  }),
  findOne({
    collection: 'entries',
    filter: fc.record(named, { requiredKeys: ['channelId', 'externalId', 'conversationId'] }),
  }),
  findOne({
    collection: 'entries',
    filter: fc.record({ channelId: either(...CHANNELS), 'send.ownId': externalId }),
    options: { project: { conversationId: 1, message: 1, after: 1 } },
  }),
  findOne({ collection: 'entries', filter: fc.record({ conversationId, seq: few }) }),
  findOne({
    collection: 'entries',
    filter: fc.record({ _id: entryId, channelId: either(...CHANNELS) }),
    options: { project: { conversationId: 1 } },
  }),
  find({
    collection: 'entries',
    filter: fc.record({ conversationId, pending: conversationPartition }),
    options: { sort: { seq: 1 } },
  }),
  paged({
    collection: 'entries',
    filter: fc.record(
      {
        conversationId,
        seq: few.map(($lte) => ({ $lte })),
        message: fc.constant({ $exists: true }),
        'message.direction': fc.constant({ $ne: 'note' }),
      },
      { requiredKeys: ['conversationId', 'seq', 'message'] },
    ),
    options: { ...newestFirst, wholeMaxBytes: 700 },
  }),
);

const due = moment.map(($lte) => ({ $lte }));
const there = fc.constant({ $exists: true });
const channelsIn = channelPartitions.map(($in) => ({ $in }));
const conversationsIn = conversationPartition.map((each) => ({ $in: [each, 0] }));
const dueTimers = {
  ...{ timer: there, 'timer.partition': conversationsIn, 'timer.at': due },
  'timer.orgId': someOf([ORG, 'org_2']).map(($nin) => ({ $nin })),
};

const agendaReads: fc.Arbitrary<Operation> = fc.oneof(
  findOne({
    collection: 'organizations',
    filter: fc.constant({ _id: ORG }),
    options: { project: { name: 1, timeZone: 1, 'channels.id': 1, 'channels.provider': 1 } },
  }),
  find({
    collection: 'entries',
    filter: fc.record({
      conversationId: conversationId.map((id) => ({ $in: [id] })),
      pending: conversationsIn,
      outbox: fc.constant({ $exists: true }),
    }),
    options: {
      sort: { conversationId: 1, seq: 1 },
      project: { conversationId: 1, seq: 1, after: 1, outbox: 1 },
    },
  }),
  find({
    collection: 'entries',
    filter: fc.record({ pending: conversationsIn }),
    options: { sort: { conversationId: 1, seq: 1 }, limit: 3 },
  }),
  find({
    collection: 'entries',
    filter: fc.record({
      pending: conversationPartition,
      conversationId: conversationId.map(($gte) => ({ $gte })),
    }),
    options: { sort: { conversationId: 1, seq: 1 }, limit: 2 },
  }),
  find({
    collection: 'entries',
    filter: fc.record({
      pending: conversationPartition,
      outbox: fc.constant({ $exists: true }),
      conversationId: conversationId.map(($gt) => ({ $gt })),
    }),
    options: { sort: { conversationId: 1, seq: 1 }, limit: 2, project: { conversationId: 1 } },
  }),
  find({
    collection: 'entries',
    filter: fc.oneof(
      fc.constant({ 'send.partition': { $gte: 0 }, send: { $exists: true } }),
      fc.record({
        'send.partition': channelPartition,
        'send.at': moment.map(($gte) => ({ $gte })),
        send: there,
      }),
    ),
    options: {
      sort: { 'send.partition': 1, 'send.at': 1, seq: 1 },
      limit: 3,
      project: { conversationId: 1, seq: 1, 'send.partition': 1, 'send.at': 1 },
    },
  }),
  findOne({
    collection: 'entries',
    filter: fc.record({ 'send.partition': channelsIn, send: there }),
    options: { sort: { 'send.at': 1 }, project: { 'send.at': 1 } },
  }),
  findOne({
    collection: 'entries',
    filter: fc.record({
      ...{ 'send.partition': channelsIn, send: there },
      'send.channelId': someOf(CHANNELS).map(($nin) => ({ $nin })),
    }),
  }),
  ...[
    fc.record(dueTimers, { requiredKeys: ['timer', 'timer.partition', 'timer.at'] }),
    // After the last of the page before: of its time, and later.
    fc.record({ ...dueTimers, 'timer.at': moment, _id: entryId.map(($gt) => ({ $gt })) }),
    fc.record({ ...dueTimers, 'timer.at': fc.record({ $lte: moment, $gt: moment }) }),
  ].map((filter) =>
    find({
      collection: 'entries',
      filter,
      options: {
        sort: { 'timer.at': 1, _id: 1 },
        limit: 3,
        project: { conversationId: 1, orgId: 1, seq: 1, 'timer.at': 1 },
      },
    }),
  ),
  findOne({
    collection: 'entries',
    filter: fc.record({ conversationId, seq: few }),
    options: { project: { timer: 1 } },
  }),
  find({
    collection: 'entries',
    filter: fc.record({ 'mediaDue.partition': channelsIn, 'mediaDue.at': due, mediaDue: there }),
    options: { sort: { 'mediaDue.at': 1 }, limit: 2 },
  }),
);

/** As many as are swept at once, and more than there are. */
const outdated = (collection: string) =>
  find({
    collection,
    filter: moment.map(($lt) => ({ at: { $lt } })),
    options: { limit: 500, project: { _id: 1 } },
  });

const listed = fc.record(
  {
    'snapshot.orgId': fc.constant('org_1'),
    'snapshot.status': either('open', 'in_flow'),
    'snapshot.channelId': either(...CHANNELS),
    'snapshot.contactId': fc.constant('ctc_1'),
  },
  { requiredKeys: ['snapshot.orgId'] },
);
const listedOpen = fc.record({
  'snapshot.orgId': fc.constant('org_1'),
  'snapshot.status': someOf(['open', 'in_flow']).map(($in) => ({ $in })),
});
const latest = { sort: { 'snapshot.lastMessageAt': -1, _id: -1 } } as const;

export const logReads: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: entryReads, weight: 3 },
  { arbitrary: agendaReads, weight: 3 },
  byId('conversations', conversationId),
  find({
    collection: 'conversations',
    filter: fc.uniqueArray(conversationId).map((ids) => ({ _id: { $in: ids } })),
    options: { project: { 'snapshot.seq': 1 } },
  }),
  paged({ collection: 'conversations', filter: listed, options: latest }),
  paged({
    collection: 'conversations',
    filter: listedOpen,
    options: { ...latest, wholeMaxBytes: 500 },
  }),
  find({
    collection: 'conversations',
    filter: fc.uniqueArray(conversationId).map((ids) => ({ _id: { $in: ids } })),
    options: { project: { snapshot: 1 } },
  }),
  find({
    collection: 'conversations',
    filter: fc.uniqueArray(conversationId).map((ids) => ({ _id: { $in: ids } })),
    options: { wholeMaxBytes: 500 },
  }),
  find({
    collection: 'entries',
    filter: fc.constant({ _id: { $in: ['msg_1', 'msg_2'] } }),
    options: { project: { message: 1, edit: 1, deletion: 1 } },
  }),
  findOne({ collection: 'conversations', filter: listed, options: latest }),
  count({ collection: 'conversations', filter: fc.oneof(listed, listedOpen) }),
  count({ collection: 'conversations', filter: fc.constant({ 'snapshot.orgId': 'org_1' }) }),
  byId('externals', externalId),
  byId('readBacks', either(...CHANNELS)),
  fc.oneof(...['externals', 'uploads', 'tallySteps'].map(outdated)),
  findOne({ collection: 'uploads', filter: fc.constant({ _id: 'chn_1/a' }) }),
  ...['externals', 'uploads'].map((collection) =>
    find({
      collection,
      filter: moment.map(($lt) => ({ at: { $lt } })),
      options: { limit: 2, project: { _id: 1 } },
    }),
  ),
);
