/** Queries of conversations' logs, of their snapshots, and of the records of channels. */
import fc from 'fast-check';
import { shelfFor } from '../../../../../shared/wire/subjects.ts';
import { CONVERSATIONS, conversationId, ENTRIES, entryId, externalId } from './log-writes.ts';
import type { Operation } from './operation.ts';
import {
  beyond,
  byId,
  CHANNELS,
  channelPartitions,
  channelsIn,
  count,
  due,
  earlier,
  either,
  few,
  find,
  findOne,
  idsIn,
  moment,
  noneOf,
  ORG,
  only,
  paged,
  placesIn,
  someOf,
  there,
} from './words.ts';

const conversationPartition = conversationId.map((id) => shelfFor('conversation', id));

const named = {
  ...{ channelId: either(...CHANNELS), externalId, conversationId },
  'message.direction': either('in', 'out'),
};
const inConversation = conversationId.map((id) => ({ conversationId: id }));
const ofChannel = fc.record({ _id: entryId, channelId: named.channelId });
const atSeq = fc.record({ conversationId, seq: few });
const newestFirst = { sort: { seq: -1 } } as const;
const told = only('conversationId', 'message', 'after');
const published = {
  ...{ conversationId, seq: few.map(($lte) => ({ $lte })), message: there },
  'message.direction': fc.constant({ $ne: 'note' }),
};

const sentByUs = { conversationId, 'message.direction': fc.constant('out') };

const entryReads: fc.Arbitrary<Operation> = fc.oneof(
  byId('entries', entryId),
  find('entries', idsIn(ENTRIES)),
  findOne('entries', inConversation, { ...newestFirst, ...only('after') }),
  find('entries', inConversation, { ...newestFirst, limit: 1 }),
  find(
    'entries',
    fc.array(atSeq, { minLength: 1, maxLength: 3 }).map(($or) => ({ $or })),
    only('conversationId', 'message'),
  ),
  ...['externalId', 'send'].map((path) =>
    find('entries', inConversation, { ...newestFirst, limit: 2, ...only(path) }),
  ),
  findOne('entries', fc.record(named, { requiredKeys: ['channelId', 'externalId'] }), told),
  findOne(
    'entries',
    fc.record(named, { requiredKeys: ['channelId', 'externalId', 'conversationId'] }),
  ),
  findOne('entries', fc.record({ channelId: named.channelId, 'send.ownId': externalId }), told),
  find(
    'entries',
    fc.record({
      ...{ channelId: named.channelId, 'message.direction': named['message.direction'] },
      externalId: fc.array(externalId).map(($in) => ({ $in })),
    }),
    only('conversationId', 'externalId', 'message.origin'),
  ),
  find('entries', fc.record(sentByUs), { ...newestFirst, limit: 2, ...only('message') }),
  findOne('entries', atSeq),
  findOne('entries', ofChannel, only('conversationId')),
  find(
    'entries',
    fc.tuple(idsIn(ENTRIES), named.channelId).map(([ids, channelId]) => ({ ...ids, channelId })),
    only('conversationId'),
  ),
  find('entries', fc.record({ conversationId, pending: conversationPartition }), {
    sort: { seq: 1 },
  }),
  paged('entries', fc.record(published, { requiredKeys: ['conversationId', 'seq', 'message'] }), {
    ...newestFirst,
    wholeMaxBytes: 700,
  }),
  paged(
    'entries',
    fc.record(
      { ...published, 'ownPlace.seq': few.map(($lte) => ({ $not: { $lte } })) },
      { requiredKeys: ['conversationId', 'seq', 'message', 'ownPlace.seq'] },
    ),
    { ...newestFirst, ...only('seq', 'message', 'after'), index: { conversationId: 1, seq: -1 } },
  ),
  paged(
    'entries',
    fc.record({
      ...{ conversationId, ownPlace: there, message: there },
      'ownPlace.seq': few.map(($lte) => ({ $lte })),
    }),
    {
      ...{ sort: { 'ownPlace.at': -1, 'ownPlace.seq': -1 }, ...only('ownPlace') },
      index: { conversationId: 1, 'ownPlace.at': -1, 'ownPlace.seq': -1 },
    },
  ),
  findOne('entries', inConversation, { ...newestFirst, ...only('seq') }),
);

const conversationsIn = conversationPartition.map((each) => ({ $in: [each, 0] }));
const dueTimers = {
  ...{ timer: there, 'timer.partition': conversationsIn, 'timer.at': due },
  ...{ 'timer.orgId': noneOf([ORG, 'org_2']), 'timer.place': placesIn },
};
/** A normal message says nothing of its class. */
const ofClass = {
  'send.urgency': fc.oneof(either('reply', 'bulk'), fc.constant({ $exists: false })),
};
const everyClass = { 'send.urgency': fc.constant({ $in: [null, 'reply', 'bulk'] }) };
const inLogs = { sort: { conversationId: 1, seq: 1 } } as const;
const organization = only(
  'name',
  'timeZone',
  'channels.id',
  'channels.provider',
  'channels.phone',
  'channels.removed',
);
const queued = { 'send.partition': channelsIn, send: there };

const agendaReads: fc.Arbitrary<Operation> = fc.oneof(
  findOne('organizations', fc.constant({ _id: ORG }), organization),
  find(
    'entries',
    fc.record({
      conversationId: conversationId.map((id) => ({ $in: [id] })),
      ...{ pending: conversationsIn, outbox: there },
    }),
    { ...inLogs, ...only('conversationId', 'outbox') },
  ),
  find(
    'entries',
    fc.record({
      conversationId: conversationId.map((id) => ({ $in: [id] })),
      ...{ pending: conversationsIn, 'outbox.id': fc.constant({ $in: ['evt_1', 'evt_3'] }) },
    }),
    only('outbox'),
  ),
  find('entries', fc.record({ pending: conversationsIn }), { ...inLogs, limit: 3 }),
  find(
    'entries',
    fc.record({
      pending: conversationPartition,
      conversationId: conversationId.map(($gte) => ({ $gte })),
    }),
    { ...inLogs, limit: 2 },
  ),
  find(
    'entries',
    fc.record({
      ...{ pending: conversationPartition, outbox: there },
      conversationId: beyond(conversationId),
    }),
    { ...inLogs, limit: 2, ...only('conversationId') },
  ),
  find(
    'entries',
    fc.oneof(
      fc.record({ 'send.partition': fc.constant({ $gte: 0 }), send: there, ...ofClass }),
      fc.record({
        ...{ 'send.partition': either(...channelPartitions), send: there, ...ofClass },
        'send.at': moment.map(($gte) => ({ $gte })),
      }),
    ),
    {
      ...{ sort: { 'send.partition': 1, 'send.at': 1, seq: 1 }, limit: 3 },
      ...only('conversationId', 'seq', 'send.partition', 'send.at'),
    },
  ),
  findOne(
    'entries',
    fc.record({ ...queued, 'send.urgency': fc.constant({ $in: [null, 'reply'] }) }),
    { sort: { 'send.at': 1 }, ...only('send.at') },
  ),
  find('entries', fc.record({ ...queued, ...everyClass }), {
    ...{ sort: { 'send.at': 1 }, limit: 3 },
    ...only('send.at'),
  }),
  findOne('entries', fc.record({ ...queued, 'send.channelId': noneOf(CHANNELS) })),
  // Of one channel, by urgency: counted from the oldest, cancelled from the newest.
  ...([1, -1] as const).map((order) =>
    find(
      'entries',
      fc.record({
        ...{ 'send.channelId': either(...CHANNELS), 'send.urgency': either(null, 'reply', 'bulk') },
        'send.state': fc.constant('queued'),
      }),
      { sort: { 'send.at': order }, limit: 3, ...only('conversationId', 'send.at') },
    ),
  ),
  ...[
    fc.record(dueTimers, { requiredKeys: ['timer', 'timer.partition', 'timer.at'] }),
    // After the last of the page before: of its time, and later.
    fc.record(
      { ...dueTimers, 'timer.at': moment, _id: beyond(entryId) },
      { requiredKeys: ['timer', 'timer.partition', 'timer.at', 'timer.orgId', '_id'] },
    ),
    fc.record(
      { ...dueTimers, 'timer.at': fc.record({ $lte: moment, $gt: moment }) },
      { requiredKeys: ['timer', 'timer.partition', 'timer.at', 'timer.orgId'] },
    ),
  ].map((filter) =>
    find('entries', filter, {
      ...{ sort: { 'timer.at': 1, _id: 1 }, limit: 3 },
      ...only('conversationId', 'orgId', 'seq', 'timer.at'),
    }),
  ),
  findOne('entries', atSeq, only('timer')),
  find(
    'entries',
    fc.record(
      {
        ...{ 'mediaDue.partition': channelsIn, 'mediaDue.at': due, mediaDue: there },
        'mediaDue.place': placesIn,
      },
      { requiredKeys: ['mediaDue.partition', 'mediaDue.at', 'mediaDue'] },
    ),
    { sort: { 'mediaDue.at': 1 }, limit: 2 },
  ),
);

/** As many as are swept at once: more than there are, or fewer. */
const outdated = (collection: string, limit: number) =>
  find(
    collection,
    earlier.map((at) => ({ at })),
    { limit, ...only('_id') },
  );

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
const SIZED = { wholeMaxBytes: 500 };

export const logReads: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: entryReads, weight: 3 },
  { arbitrary: agendaReads, weight: 3 },
  byId('conversations', conversationId),
  paged('conversations', listed, latest),
  paged('conversations', listedOpen, { ...latest, ...SIZED }),
  ...[only('snapshot.seq'), only('snapshot'), SIZED].map((options) =>
    find('conversations', idsIn(CONVERSATIONS), options),
  ),
  find('entries', idsIn(['msg_1', 'msg_2']), only('message', 'edit', 'deletion')),
  findOne('conversations', listed, latest),
  count('conversations', fc.oneof(listed, listedOpen)),
  count('conversations', fc.constant({ 'snapshot.orgId': 'org_1' })),
  byId('externals', externalId),
  byId('readBacks', either(...CHANNELS)),
  fc.oneof(...['externals', 'uploads', 'tallySteps'].map((name) => outdated(name, 500))),
  findOne('uploads', fc.constant({ _id: 'chn_1/a' })),
  ...['externals', 'uploads'].map((name) => outdated(name, 2)),
);
