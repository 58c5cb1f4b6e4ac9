/** Joint query of a process's agendas: whether there is any due work at all. */
import fc from 'fast-check';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import { conversationId } from './log-writes.ts';
import type { Operation } from './operation.ts';
import { PARTITIONS } from './record-writes.ts';
import { CHANNELS, findOne, moment, ORG, someOf } from './words.ts';

const there = fc.constant({ $exists: true });
const due = moment.map(($lte) => ({ $lte }));
const channelsIn = someOf(CHANNELS.map((id) => partitionOf('channel', id))).map(($in) => ({ $in }));
const conversationsIn = conversationId.map((id) => ({ $in: [partitionOf('conversation', id)] }));
const partitionsIn = someOf(PARTITIONS).map(($in) => ({ $in }));
const tasksIn = fc.constant({ $in: ['task_1', 'task_2'].map((id) => partitionOf('task', id)) });

export const logDueWork: fc.Arbitrary<Operation> = fc.oneof(
  findOne({
    collection: 'entries',
    filter: fc.record({ 'send.partition': channelsIn, send: there }),
  }),
  findOne({
    collection: 'entries',
    filter: fc.record(
      {
        ...{ timer: there, 'timer.partition': conversationsIn, 'timer.at': due },
        'timer.orgId': someOf([ORG, 'org_2']).map(($nin) => ({ $nin })),
      },
      { requiredKeys: ['timer', 'timer.partition', 'timer.at'] },
    ),
  }),
  findOne({
    collection: 'entries',
    filter: fc.record({ mediaDue: there, 'mediaDue.partition': channelsIn, 'mediaDue.at': due }),
  }),
);

export const recordDueWork: fc.Arbitrary<Operation> = fc.oneof(
  findOne({
    collection: 'deliveries',
    filter: fc.record({
      'state.status': fc.constant('pending'),
      partition: partitionsIn,
      'state.nextAttemptAt': due,
    }),
  }),
  findOne({
    collection: 'tasks',
    filter: fc.record({ partition: tasksIn, remindAt: due, pending: there }),
  }),
);

/** Of documents that are counted. */
export function countedDueWork(collections: readonly string[]): fc.Arbitrary<Operation> {
  const filter = fc.constantFrom('', 'org_0', 'org_1').map(($gt) => ({ recount: { $gt } }));
  return fc.oneof(...collections.map((collection) => findOne({ collection, filter })));
}
