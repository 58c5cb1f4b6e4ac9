/** Queries of contacts, deals, tasks, organizations, deliveries and their side records. */
import fc from 'fast-check';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import type { Operation } from './operation.ts';
import {
  contactId,
  dealId,
  deliveryId,
  digest,
  PARTITIONS,
  recordId,
  subscriptionId,
  taskId,
} from './record-writes.ts';
import { byId, count, either, find, findOne, moment, ORG, paged, someOf } from './words.ts';

const TASK_PARTITIONS = ['task_1', 'task_2', 'task_3'].map((id) => partitionOf('task', id));
const due = moment.map(($lte) => ({ $lte }));
const partitionsIn = someOf(PARTITIONS).map(($in) => ({ $in }));

/** The unpublished outbox: a first page of several partitions, and the next of one. */
const leftIn = (collection: string, partitions: number[], id: fc.Arbitrary<string>) => [
  find({
    collection,
    filter: fc.constant({ pending: { $in: partitions } }),
    options: { sort: { _id: 1 }, limit: 2 },
  }),
  find({
    collection,
    filter: fc.record({
      pending: fc.constantFrom(...partitions),
      _id: id.map(($gt) => ({ $gt })),
    }),
    options: { sort: { _id: 1 }, limit: 2 },
  }),
];

const contacts = fc.record(
  {
    orgId: fc.constant(ORG),
    phone: either('5511987650001'),
    search: either('5\\.5', '\\(preco\\)', 'maria').map(($regex) => ({ $regex })),
  },
  { requiredKeys: ['orgId'] },
);
const deals = fc.record(
  {
    'state.orgId': fc.constant(ORG),
    'state.status': either('open', 'won'),
    'state.stageId': either('stg_1'),
    'state.contactId': contactId,
  },
  { requiredKeys: ['state.orgId'] },
);
const tasks = fc.record(
  { 'state.orgId': fc.constant(ORG), 'state.done': fc.boolean() },
  { requiredKeys: ['state.orgId'] },
);
/** Some documents are larger, some not. */
const SIZED = { wholeMaxBytes: 400 } as const;
const byUpdate = { sort: { 'state.updatedAt': -1, _id: -1 } } as const;

const lists: fc.Arbitrary<Operation> = fc.oneof(
  paged({
    collection: 'contacts',
    filter: contacts,
    options: { sort: { updatedAt: -1, _id: -1 }, ...SIZED },
  }),
  find({
    collection: 'contacts',
    filter: someOf(['ctc_1', 'ctc_2']).map(($in) => ({ _id: { $in } })),
    options: { project: { answers: 0, completed: 0, search: 0, outbox: 0 } },
  }),
  find({
    collection: 'contacts',
    filter: someOf(['ctc_1', 'ctc_2']).map(($in) => ({ _id: { $in } })),
    options: SIZED,
  }),
  find({ collection: 'contacts', filter: contacts, options: { project: { search: 1 } } }),
  count({ collection: 'contacts', filter: contacts }),
  find({
    collection: 'contacts',
    filter: someOf(['ctc_1', 'ctc_2']).map(($in) => ({ _id: { $in } })),
    options: { project: { name: 1 } },
  }),
  paged({ collection: 'deals', filter: deals, options: { ...byUpdate, ...SIZED } }),
  ...(['deals', 'tasks'] as const).map((collection) =>
    find({
      collection,
      filter: someOf(['deal_1', 'task_1']).map(($in) => ({ _id: { $in } })),
      options: { project: { state: 1 } },
    }),
  ),
  count({ collection: 'deals', filter: deals }),
  findOne({
    collection: 'deals',
    filter: fc.record({
      'state.orgId': fc.constant(ORG),
      'state.contactId': contactId,
      'state.status': either('open'),
    }),
    options: { ...byUpdate, project: { _id: 1 } },
  }),
  paged({
    collection: 'tasks',
    filter: tasks,
    options: { sort: { 'state.createdAt': -1, _id: -1 }, ...SIZED },
  }),
  count({ collection: 'tasks', filter: tasks }),
);

const one = either('org_1', 'org_2').map((_id) => ({ _id }));
const organizations: fc.Arbitrary<Operation> = fc.oneof(
  findOne({ collection: 'organizations', filter: one }),
  findOne({
    collection: 'organizations',
    filter: one,
    options: { project: { name: 1, timeZone: 1, members: 1, pipelines: 1 } },
  }),
  ...['channels', 'subscriptions'].map((list) =>
    find({
      collection: 'organizations',
      filter: either('', 'org_1').map(($gt) => ({ _id: { $gt } })),
      options: {
        ...{ sort: { _id: 1 }, limit: 1 },
        project: { removed: 1, [`${list}.id`]: 1, [`${list}.removed`]: 1 },
      },
    }),
  ),
  find({
    collection: 'organizations',
    filter: either('chn_1').map((id) => ({ 'channels.id': id })),
  }),
  findOne({
    collection: 'organizations',
    filter: fc.record({ 'channels.id': either('chn_1') }),
    options: { project: { country: 1, channels: 1, removed: 1 } },
  }),
  ...['channels', 'files', 'flows', 'name timeZone', 'members channels removed'].map((names) =>
    findOne({
      collection: 'organizations',
      filter: one,
      options: { project: Object.fromEntries(names.split(' ').map((name) => [name, 1])) },
    }),
  ),
  find({
    collection: 'organizations',
    filter: fc.array(subscriptionId).map(($in) => ({ 'subscriptions.id': { $in } })),
    options: { project: { subscriptions: 1, removed: 1 } },
  }),
  findOne({
    collection: 'organizations',
    filter: one,
    options: { project: { subscriptions: 1, removed: 1 } },
  }),
  find({
    collection: 'organizations',
    filter: fc.constant({ 'channels.network.baseUrl': 'sandbox' }),
  }),
  find({
    collection: 'organizations',
    filter: someOf(['cloud 1', 'web 1']).map(($in) => ({ numbers: { $in } })),
    options: { project: { ref: 1, channels: 1 }, limit: 2 },
  }),
  findOne({
    collection: 'organizations',
    filter: fc.record({ 'channels.id': either('chn_1') }),
    options: { project: { 'channels.id': 1, 'channels.removed': 1, removed: 1 } },
  }),
);

const tagsOfOne = either('org_1', 'org_2').map((org) => ({
  _id: { $gte: `${org}/`, $lt: `${org}0` },
}));
const tagsBeyond = fc.constant({ _id: { $gt: 'org_1/novo', $lt: 'org_10' } });
const tags: fc.Arbitrary<Operation> = fc.oneof(
  find({ collection: 'tags', filter: someOf(['org_1/vip', 'org_1/novo']).map(idsIn) }),
  count({ collection: 'tags', filter: tagsOfOne }),
  find({ collection: 'tags', filter: tagsBeyond, options: { sort: { _id: 1 }, limit: 2 } }),
  find({ collection: 'tags', filter: tagsOfOne, options: { sort: { _id: 1 }, limit: 1_000 } }),
);

function idsIn($in: readonly string[]) {
  return { _id: { $in } };
}

const deliveries: fc.Arbitrary<Operation> = fc.oneof(
  byId('deliveries', deliveryId),
  ...[due, moment, fc.record({ $lte: moment, $gt: moment })].map((nextAttemptAt) =>
    find({
      collection: 'deliveries',
      filter: fc.record(
        {
          'state.status': fc.constant('pending'),
          partition: partitionsIn,
          'state.nextAttemptAt': nextAttemptAt,
          subscriptionId: someOf(['sub_1']).map(($nin) => ({ $nin })),
          _id: deliveryId.map(($gt) => ({ $gt })),
        },
        { requiredKeys: ['state.status', 'partition', 'state.nextAttemptAt'] },
      ),
      options: { sort: { 'state.nextAttemptAt': 1, _id: 1 }, limit: 2 },
    }),
  ),
  find({
    collection: 'deliveries',
    filter: fc.record({ subscriptionId, 'state.series': moment }),
    options: { sort: { 'state.nextAttemptAt': 1 }, limit: 1 },
  }),
  find({
    collection: 'deliveries',
    filter: fc.record({ subscriptionId, 'state.series': moment }),
    options: { sort: { createdAt: 1, _id: 1 }, limit: 2 },
  }),
  find({
    collection: 'deliveries',
    filter: fc.record({
      subscriptionId: either('sub_1', 'sub_2').map((id) => ({ $in: [id] })),
      createdAt: moment.map(($lt) => ({ $lt })),
      'state.endedAt': moment.map(($lt) => ({ $lt })),
    }),
    options: { limit: 2, project: { _id: 1 } },
  }),
  find({
    collection: 'deliveries',
    filter: fc.record({
      order: fc.constant({ $exists: true }),
      'state.endedAt': moment.map(($lt) => ({ $lt })),
      partition: partitionsIn,
    }),
    options: { limit: 2, project: { _id: 1 } },
  }),
  find({
    collection: 'deliveries',
    filter: fc.record({
      subscriptionId,
      'state.status': fc.constant({ $in: ['failed', 'parked'] }),
      createdAt: fc.record({ $gte: moment, $lte: moment }),
    }),
    options: { sort: { createdAt: 1, _id: 1 }, limit: 2 },
  }),
  find({
    collection: 'deliveries',
    filter: fc.record({ orgId: fc.constant(ORG), createdAt: moment.map(($gte) => ({ $gte })) }),
    options: { sort: { createdAt: -1, _id: -1 }, limit: 3, project: { body: 0 } },
  }),
  find({
    collection: 'breakers',
    filter: fc.record({ partition: partitionsIn, 'state.active': fc.constant(true) }),
    options: { sort: { partition: 1, _id: 1 }, limit: 2, project: { partition: 1 } },
  }),
);

const others: fc.Arbitrary<Operation> = fc.oneof(
  byId('contacts', contactId),
  byId('deals', dealId),
  byId('tasks', taskId),
  byId('breakers', subscriptionId),
  byId('idempotency', either('call_1', 'call_2')),
  byId('completedCommands', recordId),
  find({
    collection: 'completedCommands',
    filter: fc.record({ until: due }),
    options: { limit: 2, project: { _id: 1 } },
  }),
  byId('flowVersions', either('flw_1.v', 'flw_1.w')),
  findOne({ collection: 'keys', filter: digest.map((_id) => ({ _id })) }),
  find({ collection: 'keys', filter: someOf(['digest-1']).map(($in) => ({ _id: { $in } })) }),
  findOne({ collection: 'windows', filter: fc.constant({ _id: ORG }) }),
  ...leftIn('contacts', [1, 3], contactId),
  ...leftIn('deals', [1, 3], dealId),
  ...leftIn('tasks', [1, 5], taskId),
  find({
    collection: 'tasks',
    filter: fc.record({
      partition: fc.constant({ $in: TASK_PARTITIONS }),
      remindAt: due,
      pending: fc.constant({ $exists: false }),
    }),
    options: { sort: { remindAt: 1, _id: 1 }, limit: 2 },
  }),
  find({
    collection: 'tasks',
    filter: fc.record({
      partition: fc.constant({ $in: TASK_PARTITIONS }),
      remindAt: moment,
      pending: fc.constant({ $exists: false }),
      _id: either('task_1', 'task_2').map(($gt) => ({ $gt })),
    }),
    options: { sort: { remindAt: 1, _id: 1 }, limit: 2 },
  }),
);

export const recordReads: fc.Arbitrary<Operation> = fc.oneof(
  lists,
  organizations,
  tags,
  deliveries,
  others,
);
