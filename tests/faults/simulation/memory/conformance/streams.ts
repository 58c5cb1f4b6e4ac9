/** Deliveries of event streams, and the streams' cursors. */
import fc from 'fast-check';
import type { DeliveryDocument } from '../../../../../actors/model/subscription.ts';
import { recordedState } from '../../../../../actors/subscription/deliveries/recorded-delivery.ts';
import { streamOrder } from '../../../../../actors/subscription/streams/recorder.ts';
import type { Operation } from './operation.ts';
import { deliveryId, subscriptionId } from './record-writes.ts';
import {
  byId,
  committed,
  count,
  either,
  find,
  findOne,
  group,
  inserted,
  moment,
  ORG,
  only,
  someOf,
  updated,
  upserted,
} from './words.ts';

const order = moment.map((n) => streamOrder(1, n));
const position = fc.integer({ min: 1, max: 6 });
const revision = fc.integer({ min: 1, max: 3 });
const ids = someOf(['dlv_1', 'dlv_2', 'dlv_3', 'dlv_4']).map(($in) => ({ $in }));

const delivery: fc.Arbitrary<DeliveryDocument> = fc
  .record({ _id: deliveryId, subscriptionId, order, generation: moment, createdAt: moment })
  .map((known) => ({
    ...{ ...known, orgId: ORG, partition: 3, event: 'deal.won', body: '{}' },
    state: { ...recordedState(known.createdAt, 'pending'), nextAttemptAt: null },
  }));
const state = fc
  .tuple(
    fc.record({ epoch: revision, revision, status: either('pending', 'succeeded') }),
    fc.option(position, { nil: undefined }),
  )
  .map(([known, at]) => ({ ...known, ...(at === undefined ? {} : { position: at }) }));
const cursor = fc.record({ epoch: revision, revision, position, given: fc.constant(['dlv_1']) });

const writes: fc.Arbitrary<Operation> = fc.oneof(
  group(delivery.map((document) => inserted('deliveries', document))),
  committed(
    fc
      .tuple(deliveryId, state, order)
      .map(([_id, next, at]) =>
        updated('deliveries', { _id }, { $max: { state: next }, $set: { order: at } }),
      ),
  ),
  committed(
    fc
      .tuple(subscriptionId, cursor)
      .map(([_id, next]) =>
        upserted('streams', { _id }, { $max: { state: next }, $set: { partition: 3 } }),
      ),
  ),
);

const any = fc.constant({ $gt: '' });
const pending = { subscriptionId, 'state.status': either('pending'), order: any };
const positioned = { ...pending, 'state.position': fc.constant({ $gt: 0 }) };
const unpositioned = { ...pending, 'state.position': fc.constant(null) };
const oldest = { sort: { order: 1 }, limit: 2 } as const;
const newest = { sort: { order: -1 } } as const;

const reads: fc.Arbitrary<Operation> = fc.oneof(
  byId('streams', subscriptionId),
  byId('organizations', either(ORG)),
  findOne('organizations', fc.constant({ _id: ORG }), only('streams', 'keys', 'removed')),
  findOne('organizations', fc.constant({ _id: ORG }), only('channels.id', 'channels.network')),
  count('deliveries', fc.record(pending)),
  count('deliveries', fc.record(positioned)),
  find('deliveries', fc.record({ _id: ids })),
  find('deliveries', fc.record({ _id: ids, subscriptionId })),
  find('deliveries', fc.record({ subscriptionId })),
  find('deliveries', fc.record({ subscriptionId, 'state.status': either('failed', 'pending') })),
  find(
    'deliveries',
    fc.record({ ...pending, generation: moment.map(($ne) => ({ $exists: true, $ne })) }),
    { limit: 10 },
  ),
  find('deliveries', fc.record(positioned), {
    ...{ sort: { 'state.position': 1 } as const, ...only('state.position') },
  }),
  find('deliveries', fc.record(unpositioned), oldest),
  find('deliveries', fc.record(unpositioned), { ...oldest, ...only('order') }),
  find('deliveries', fc.record(unpositioned), { ...newest, limit: 1, ...only('order') }),
  find(
    'deliveries',
    fc.record({ ...unpositioned, order: order.map(($lte) => ({ $gt: '', $lte })) }),
    { ...newest, ...only('state.position') },
  ),
);

export const streamOperations: fc.Arbitrary<Operation> = fc.oneof(writes, reads);
