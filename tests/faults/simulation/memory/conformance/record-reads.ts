/** Queries of contacts, deals, tasks, organizations, deliveries and their side records. */
import fc from 'fast-check';
import { shelfFor } from '../../../../../shared/wire/subjects.ts';
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
import {
  beyond,
  byId,
  count,
  due,
  earlier,
  either,
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

const TASK_PARTITIONS = ['task_1', 'task_2', 'task_3'].map((id) => shelfFor('task', id));
const partitionsIn = someOf(PARTITIONS).map(($in) => ({ $in }));
const firstById = { sort: { _id: 1 }, limit: 2 } as const;

/** The unpublished outbox: a first page of several partitions, and the next of one. */
const leftIn = (collection: string, partitions: number[], id: fc.Arbitrary<string>) => [
  find(collection, fc.constant({ pending: { $in: partitions } }), firstById),
  find(collection, fc.record({ pending: either(...partitions), _id: beyond(id) }), firstById),
];

const contacts = fc.record(
  {
    orgId: fc.constant(ORG),
    phone: either('5511987650001'),
    search: either('5\\.5', '\\(preco\\)', 'maria').map(($regex) => ({ $regex })),
    tags: fc.oneof(
      either<unknown>('vip'),
      someOf(['vip', 'VIP']).map(($in) => ({ $in })),
    ),
    optIn: either<unknown>(true, false, { $in: [false, true] }),
  },
  { requiredKeys: ['orgId'] },
);
const ofOrganization = { 'state.orgId': fc.constant(ORG), 'state.contactId': contactId };
const deals = fc.record(
  {
    ...{ ...ofOrganization, 'state.status': either('open', 'won') },
    'state.stageId': either<unknown>('stg_1', { $in: ['stg_1', 'stg_2'] }),
  },
  { requiredKeys: ['state.orgId'] },
);
const open = fc.record({ ...ofOrganization, 'state.status': either('open') });
const tasks = fc.record(
  { 'state.orgId': fc.constant(ORG), 'state.done': fc.boolean() },
  { requiredKeys: ['state.orgId'] },
);
/** Some documents are larger, some not. */
const SIZED = { wholeMaxBytes: 400 } as const;
const byUpdate = { sort: { 'state.updatedAt': -1, _id: -1 } } as const;
const unsent = { project: { answers: 0, completed: 0, search: 0, outbox: 0 } } as const;

const lists: fc.Arbitrary<Operation> = fc.oneof(
  paged('contacts', contacts, { sort: { updatedAt: -1, _id: -1 }, ...SIZED }),
  ...[unsent, SIZED, only('name')].map((options) =>
    find('contacts', idsIn(['ctc_1', 'ctc_2']), options),
  ),
  find('contacts', contacts, only('search')),
  count('contacts', contacts),
  paged('deals', deals, { ...byUpdate, ...SIZED }),
  ...['deals', 'tasks'].map((name) => find(name, idsIn(['deal_1', 'task_1']), only('state'))),
  ...['contacts', 'deals', 'tasks'].map((name) =>
    find(name, idsIn(['ctc_1', 'deal_1', 'task_1']), only('outbox')),
  ),
  count('deals', deals),
  findOne('deals', open, { ...byUpdate, ...only('_id') }),
  findOne('deals', deals, only('_id')),
  paged('tasks', tasks, { sort: { 'state.createdAt': -1, _id: -1 }, ...SIZED }),
  count('tasks', tasks),
);

const one = either('org_1', 'org_2').map((_id) => ({ _id }));
const ofChannel = either('chn_1').map((id) => ({ 'channels.id': id }));
const ofSubscriptions = fc.array(subscriptionId).map(($in) => ({ 'subscriptions.id': { $in } }));
const ofNumbers = someOf(['cloud 1', 'web 1']).map(($in) => ({ numbers: { $in } }));
const ORGANIZATION_PARTS = [
  only('name', 'timeZone', 'members', 'pipelines', 'leftStages', 'formerStageNames'),
  ...[only('leftStages'), only('leftStages', 'pipelines')],
  ...[only('channels'), only('files'), only('flows'), only('name', 'timeZone')],
  ...[only('members', 'channels', 'removed'), only('subscriptions', 'removed'), only('version')],
];
const organizations: fc.Arbitrary<Operation> = fc.oneof(
  findOne('organizations', one),
  ...ORGANIZATION_PARTS.map((part) => findOne('organizations', one, part)),
  ...['channels', 'subscriptions'].map((list) =>
    find('organizations', fc.record({ _id: beyond(either('', 'org_1')) }), {
      ...{ sort: { _id: 1 }, limit: 1 },
      ...only('removed', `${list}.id`, `${list}.removed`),
    }),
  ),
  find('organizations', ofChannel),
  findOne('organizations', ofChannel, only('country', 'channels', 'removed')),
  findOne(
    'organizations',
    ofChannel,
    only('channels.id', 'channels.provider', 'channels.removed', 'removed'),
  ),
  find('organizations', fc.constant({ 'leftStages.moving': true, _id: { $gt: '' } }), {
    ...{ sort: { _id: 1 }, limit: 100 },
    ...only('leftStages'),
  }),
  find('organizations', ofSubscriptions, only('subscriptions', 'removed')),
  find('organizations', fc.constant({ 'channels.network.baseUrl': 'sandbox' })),
  find('organizations', ofNumbers, { ...only('ref', 'channels'), limit: 2 }),
);

const tagsOfOne = either('org_1', 'org_2').map((org) => ({
  _id: { $gte: `${org}/`, $lt: `${org}0` },
}));
const tagsBeyond = fc.constant({ _id: { $gt: 'org_1/novo', $lt: 'org_10' } });
const tags: fc.Arbitrary<Operation> = fc.oneof(
  find('tags', idsIn(['org_1/vip', 'org_1/novo'])),
  count('tags', tagsOfOne),
  find('tags', tagsBeyond, firstById),
  find('tags', tagsOfOne, { sort: { _id: 1 }, limit: 1_000 }),
  find('tags', tagsOfOne, { sort: { _id: 1 }, skip: 1, limit: 2 }),
  byId('tags', either('org_1/vip', 'org_1/novo')),
);

const ofSeries = fc.record({ subscriptionId, 'state.series': moment });
const byAge = { sort: { createdAt: 1, _id: 1 }, limit: 2 } as const;
const toSweep = { limit: 2, ...only('_id') };
const deliveries: fc.Arbitrary<Operation> = fc.oneof(
  byId('deliveries', deliveryId),
  find(
    'deliveries',
    fc.record(
      {
        ...{ partition: partitionsIn, place: placesIn, 'state.status': either('pending') },
        'state.nextAttemptAt': due,
      },
      { requiredKeys: ['partition', 'state.status', 'state.nextAttemptAt'] },
    ),
    { sort: { 'state.nextAttemptAt': 1, _id: 1 }, limit: 3 },
  ),
  ...[due, moment, fc.record({ $lte: moment, $gt: moment })].map((nextAttemptAt) =>
    find(
      'deliveries',
      fc.record(
        {
          ...{ 'state.status': fc.constant('pending'), partition: partitionsIn, place: placesIn },
          'state.nextAttemptAt': nextAttemptAt,
          ...{ subscriptionId: noneOf(['sub_1']), _id: beyond(deliveryId) },
        },
        { requiredKeys: ['state.status', 'partition', 'state.nextAttemptAt'] },
      ),
      { sort: { 'state.nextAttemptAt': 1, _id: 1 }, limit: 2 },
    ),
  ),
  find('deliveries', ofSeries, { sort: { 'state.nextAttemptAt': 1 }, limit: 1 }),
  find('deliveries', ofSeries, byAge),
  find(
    'deliveries',
    fc.record({
      subscriptionId: subscriptionId.map((id) => ({ $in: [id] })),
      ...{ createdAt: earlier, 'state.endedAt': earlier },
    }),
    toSweep,
  ),
  find(
    'deliveries',
    fc.record({ order: there, 'state.endedAt': earlier, partition: partitionsIn }),
    toSweep,
  ),
  find(
    'deliveries',
    fc.record({
      subscriptionId,
      'state.status': fc.constant({ $in: ['failed', 'parked'] }),
      createdAt: fc.record({ $gte: moment, $lte: moment }),
    }),
    byAge,
  ),
  find(
    'deliveries',
    fc.record({ orgId: fc.constant(ORG), createdAt: moment.map(($gte) => ({ $gte })) }),
    { sort: { createdAt: -1, _id: -1 }, limit: 3, project: { body: 0 } },
  ),
  find('streams', fc.record({ partition: partitionsIn })),
  find('breakers', fc.record({ partition: partitionsIn, 'state.active': fc.constant(true) }), {
    ...{ sort: { partition: 1, _id: 1 }, limit: 2 },
    ...only('partition'),
  }),
);

const reminding = {
  ...{ partition: fc.constant({ $in: TASK_PARTITIONS }), place: placesIn },
  pending: fc.constant({ $exists: false }),
};
const byReminder = { sort: { remindAt: 1, _id: 1 }, limit: 2 } as const;
const others: fc.Arbitrary<Operation> = fc.oneof(
  byId('contacts', contactId),
  byId('deals', dealId),
  byId('tasks', taskId),
  byId('breakers', subscriptionId),
  byId('idempotency', either('call_1', 'call_2')),
  byId('completedCommands', recordId),
  find('completedCommands', fc.record({ until: due }), toSweep),
  byId('flowVersions', either('flw_1.v', 'flw_1.w')),
  findOne('keys', fc.record({ _id: digest })),
  find('keys', idsIn(['digest-1'])),
  findOne('windows', fc.constant({ _id: ORG })),
  find('sessions', fc.constant({ orgId: ORG }), { sort: { createdAt: -1 }, limit: 2 }),
  ...leftIn('contacts', [1, 3], contactId),
  ...leftIn('deals', [1, 3], dealId),
  ...leftIn('tasks', [1, 5], taskId),
  find(
    'tasks',
    fc.record(
      { ...reminding, remindAt: due },
      { requiredKeys: ['partition', 'pending', 'remindAt'] },
    ),
    byReminder,
  ),
  find(
    'tasks',
    fc.record(
      { ...reminding, remindAt: moment, _id: beyond(taskId) },
      { requiredKeys: ['partition', 'pending', 'remindAt', '_id'] },
    ),
    byReminder,
  ),
);

export const recordReads: fc.Arbitrary<Operation> = fc.oneof(
  lists,
  organizations,
  tags,
  deliveries,
  others,
);
