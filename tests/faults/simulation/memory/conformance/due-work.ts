/** Joint query of a process's agendas: whether there is any due work at all. */
import fc from 'fast-check';
import { shelfFor } from '../../../../../shared/wire/subjects.ts';
import { conversationId } from './log-writes.ts';
import type { Operation } from './operation.ts';
import { PARTITIONS } from './record-writes.ts';
import {
  CHANNELS,
  channelsIn,
  due,
  findOne,
  noneOf,
  ORG,
  ofUrgency,
  placesIn,
  someOf,
  there,
} from './words.ts';

const conversationsIn = conversationId.map((id) => ({ $in: [shelfFor('conversation', id)] }));
const partitionsIn = someOf(PARTITIONS).map(($in) => ({ $in }));
const tasksIn = fc.constant({ $in: ['task_1', 'task_2'].map((id) => shelfFor('task', id)) });
const dueTimers = {
  ...{ timer: there, 'timer.partition': conversationsIn, 'timer.at': due },
  ...{ 'timer.orgId': noneOf([ORG, 'org_2']), 'timer.place': placesIn },
};
const dueMedia = {
  ...{ mediaDue: there, 'mediaDue.partition': channelsIn },
  ...{ 'mediaDue.at': due, 'mediaDue.place': placesIn },
};
const pending = { 'state.status': fc.constant('pending'), 'state.nextAttemptAt': due };

export const logDueWork: fc.Arbitrary<Operation> = fc.oneof(
  findOne(
    'entries',
    fc.record(
      {
        ...{ 'send.partition': channelsIn, send: there, 'send.urgency': ofUrgency },
        ...{ 'send.channelId': noneOf(CHANNELS), 'send.place': placesIn },
      },
      { requiredKeys: ['send.partition', 'send'] },
    ),
  ),
  findOne(
    'entries',
    fc.record(dueTimers, { requiredKeys: ['timer', 'timer.partition', 'timer.at'] }),
  ),
  findOne(
    'entries',
    fc.record(dueMedia, { requiredKeys: ['mediaDue', 'mediaDue.partition', 'mediaDue.at'] }),
  ),
);

export const recordDueWork: fc.Arbitrary<Operation> = fc.oneof(
  findOne(
    'deliveries',
    fc.record(
      { ...pending, partition: partitionsIn, place: placesIn },
      { requiredKeys: ['state.status', 'state.nextAttemptAt', 'partition'] },
    ),
  ),
  findOne(
    'tasks',
    fc.record(
      { partition: tasksIn, place: placesIn, remindAt: due, pending: there },
      { requiredKeys: ['partition', 'remindAt', 'pending'] },
    ),
  ),
);

/** Of documents that are counted. */
export function countedDueWork(collections: readonly string[]): fc.Arbitrary<Operation> {
  const filter = fc.constantFrom('', 'org_0', 'org_1').map(($gt) => ({ recount: { $gt } }));
  return fc.oneof(...collections.map((collection) => findOne(collection, filter)));
}
