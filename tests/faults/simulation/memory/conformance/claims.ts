/** Writes to the attempt log, and queries of it. */
import fc from 'fast-check';
import { recordedState } from '../../../../../actors/subscription/deliveries/recorded-delivery.ts';
import type { Write } from '../../../../support/plain-store.ts';
import type { Operation } from './operation.ts';
import { deliveryId, PARTITIONS } from './record-writes.ts';
import { committed, either, find, idsIn, moment, only, someOf } from './words.ts';

const page = either('clm_1', 'clm_2', 'clm_3');
const pages = someOf(['clm_1', 'clm_2', 'clm_3']);
const partitions = someOf(PARTITIONS);
const claim = fc
  .record({ _id: deliveryId, at: moment })
  .map(({ _id, at }) => ({ _id, state: recordedState(at, 'pending') }));
const appended = fc
  .record({ _id: page, at: moment, partitions, claims: fc.array(claim, { maxLength: 3 }) })
  .map((document): Write => ({ insert: 'claims', document }));
const takenAway = pages.map((ids): Write => ({ remove: 'claims', filter: { _id: { $in: ids } } }));
const ofPartitions = partitions.map((numbers) => ({ $in: numbers }));
const before = moment.map(($lt) => ({ $lt }));

export const claims: fc.Arbitrary<Operation> = fc.oneof(
  committed(appended),
  committed(takenAway),
  find(
    'claims',
    fc.record({ partitions: ofPartitions, at: before }, { requiredKeys: ['partitions'] }),
    only('_id'),
  ),
  find('claims', idsIn(['clm_1', 'clm_2', 'clm_3'])),
);
