/** Operations of scheduled messages: their agenda, their settlements, and their order. */
import fc from 'fast-check';
import { settlementWrite } from '../../../../../actors/conversation/documents.ts';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import { outboundFixture } from '../../../../support/actors/domain/message-fixture.ts';
import { conversationId, entryId } from './log-writes.ts';
import type { Operation } from './operation.ts';
import {
  CHANNELS,
  committed,
  count,
  either,
  few,
  find,
  findOne,
  moment,
  ORG,
  someOf,
} from './words.ts';

const partition = conversationId.map((id) => partitionOf('conversation', id));
const there = fc.constant({ $exists: true });
const dueSoon = {
  due: there,
  'due.at': moment.map(($lte) => ({ $lte })),
  'due.partition': partition.map((each) => ({ $in: [each] })),
};
const channelsIn = someOf(CHANNELS.map((id) => partitionOf('channel', id))).map(($in) => ({ $in }));
const queued = { 'send.partition': channelsIn, send: there };

const scheduled: fc.Arbitrary<Operation> = committed(
  fc
    .record({ _id: entryId, conversationId, at: moment, seq: few })
    .map(({ _id, conversationId: id, at, seq }) => ({
      insert: 'entries',
      document: {
        ...{ _id, conversationId: id, seq, orgId: ORG },
        message: outboundFixture({ status: 'scheduled', schedule: { at, ifLate: 'send' } }),
        due: { partition: partitionOf('conversation', id), orgId: ORG, at },
      },
    })),
);
const settlement: fc.Arbitrary<Operation> = committed(
  fc
    .record({ _id: entryId, status: either('queued', 'cancelled'), seq: few, at: moment })
    .map(({ _id, status, seq, at }) => {
      const partitionOfChannel = partitionOf('channel', CHANNELS[0]);
      const place = { partition: partitionOfChannel, channelId: CHANNELS[0], at, seq };
      const send = { ...place, state: 'queued', previousSeq: 0, attempt: 0, to: '5511' } as const;
      const message = outboundFixture({ revision: 2, status });
      return settlementWrite({ _id, message, ...(status === 'queued' ? { send } : {}) } as never);
    }),
);

export const scheduledOperations: fc.Arbitrary<Operation> = fc.oneof(
  scheduled,
  settlement,
  count({ collection: 'entries', filter: fc.constant({ 'due.orgId': ORG }) }),
  find({
    collection: 'entries',
    filter: fc.record({ conversationId, due: there }),
    options: { sort: { 'due.at': 1, seq: 1 }, limit: 2 },
  }),
  find({
    collection: 'entries',
    filter: fc.record(dueSoon),
    options: { sort: { 'due.at': 1, _id: 1 }, limit: 2, project: { conversationId: 1, due: 1 } },
  }),
  findOne({ collection: 'entries', filter: fc.record(dueSoon) }),
  find({
    collection: 'entries',
    filter: fc.record({ pending: partition, conversationId, outbox: there }),
    options: { project: { outbox: 1, after: 1 } },
  }),
  find({
    collection: 'entries',
    filter: conversationId.map((id) => ({ conversationId: id })),
    options: { sort: { seq: -1 }, limit: 3, project: { externalId: 1, send: 1, settles: 1 } },
  }),
  find({
    collection: 'entries',
    filter: fc.uniqueArray(entryId).map((ids) => ({ _id: { $in: ids } })),
    options: { project: { externalId: 1, send: 1, settles: 1 } },
  }),
  find({
    collection: 'entries',
    filter: fc.record(
      { ...queued, 'send.channelId': someOf(CHANNELS).map(($nin) => ({ $nin })) },
      { requiredKeys: ['send.partition', 'send'] },
    ),
    options: {
      sort: { 'send.at': 1, seq: 1 },
      limit: 3,
      project: {
        ...{ conversationId: 1, seq: 1 },
        ...{ 'send.channelId': 1, 'send.partition': 1, 'send.seq': 1 },
      } as const,
    },
  }),
);
