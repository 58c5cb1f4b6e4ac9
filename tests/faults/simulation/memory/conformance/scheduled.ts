/** Operations of scheduled messages: their agenda, their settlements, and their order. */
import fc from 'fast-check';
import { settlementWrite } from '../../../../../actors/conversation/log/documents.ts';
import { shelfFor } from '../../../../../shared/wire/subjects.ts';
import { outboundFixture } from '../../../../support/actors/domain/message-fixture.ts';
import { conversationId, ENTRIES, entryPlace } from './log-writes.ts';
import type { Operation } from './operation.ts';
import {
  CHANNELS,
  channelsIn,
  committed,
  count,
  due,
  either,
  few,
  find,
  findOne,
  idsIn,
  moment,
  noneOf,
  ORG,
  ofUrgency,
  only,
  placesIn,
  there,
} from './words.ts';

const partition = conversationId.map((id) => shelfFor('conversation', id));
const dueSoon = fc.record(
  {
    ...{ due: there, 'due.at': due },
    'due.partition': partition.map((each) => ({ $in: [each] })),
    'due.place': placesIn,
  },
  { requiredKeys: ['due', 'due.at', 'due.partition'] },
);
const waiting = fc.record({ conversationId, due: there });
const unpublished = fc.record({ pending: partition, conversationId, outbox: there });
const queued = fc.record(
  {
    ...{ 'send.partition': channelsIn, send: there, 'send.urgency': ofUrgency },
    ...{ 'send.channelId': noneOf(CHANNELS), 'send.place': placesIn },
  },
  { requiredKeys: ['send.partition', 'send', 'send.urgency'] },
);
const settled = only('externalId', 'send', 'settles');

const scheduled: fc.Arbitrary<Operation> = committed(
  fc.record({ place: entryPlace, at: moment, seq: few }).map(({ place, at, seq }) => ({
    insert: 'entries',
    document: {
      ...{ ...place, seq, orgId: ORG },
      message: outboundFixture({ status: 'scheduled', schedule: { at, ifLate: 'send' } }),
      due: { partition: shelfFor('conversation', place.conversationId), orgId: ORG, at },
    },
  })),
);
const settlement: fc.Arbitrary<Operation> = committed(
  fc
    .record({ of: entryPlace, status: either('queued', 'cancelled'), seq: few, at: moment })
    .map(({ of, status, seq, at }) => {
      const shelfForChannel = shelfFor('channel', CHANNELS[0]);
      const place = { partition: shelfForChannel, channelId: CHANNELS[0], at, seq };
      const send = { ...place, state: 'queued', previousSeq: 0, attempt: 0, to: '5511' } as const;
      const message = outboundFixture({ revision: 2, status });
      const entry = { ...of, message, ...(status === 'queued' ? { send } : {}) };
      return settlementWrite(entry as never);
    }),
);

export const scheduledOperations: fc.Arbitrary<Operation> = fc.oneof(
  scheduled,
  settlement,
  count('entries', fc.constant({ 'due.orgId': ORG })),
  find('entries', waiting, { sort: { 'due.at': 1, seq: 1 }, limit: 2 }),
  find('entries', dueSoon, {
    ...{ sort: { 'due.at': 1, _id: 1 }, limit: 2 },
    ...only('conversationId', 'due'),
  }),
  findOne('entries', dueSoon),
  find('entries', unpublished, only('outbox', 'after')),
  find('entries', fc.record({ conversationId }), { sort: { seq: -1 }, limit: 3, ...settled }),
  find('entries', idsIn(ENTRIES), settled),
  find('entries', queued, {
    ...{ sort: { 'send.at': 1, seq: 1 }, limit: 3 },
    ...only('conversationId', 'seq', 'send.channelId', 'send.seq', 'send.urgency'),
  }),
);
