/** Events of changes: well, and gone wrong. */
import { changes } from './changes.ts';
import { delivery, entry, show, store } from './fixture.ts';
import type { Delivery, Entry } from './history.ts';

const LOG: readonly Entry[] = [
  entry('a', 1),
  entry('b', 2, { assignedTo: 'm1' }),
  entry('c', 3, { assignedTo: 'm2', status: 'resolved' }),
  entry('d', 4, { assignedTo: 'm2', status: 'in_flow' }),
];
const of = (event: string, n: number, over: Partial<Delivery> = {}) =>
  delivery(`conversation.${event}`, 'cnv_1', { id: `dlv_${n}`, ...over });
const TOLD = [
  of('assigned', 1, { members: { from: null, to: 'm1' } }),
  of('assigned', 2, { members: { from: 'm1', to: 'm2' } }),
  of('resolved', 3),
  of('reopened', 4),
];
const kept = store({ entries: LOG });

const FIRST = {
  ...{ name: null, email: null, fields: {}, tags: [], optIn: false, optOutAt: null },
};
const made = (over: Partial<Delivery> = {}) =>
  delivery('contact.created', 'c1', { id: 'dlv_c', contact: FIRST, ...over });
const updated = (at: number, changed: readonly string[], contact: object) =>
  delivery('contact.updated', 'c1', {
    ...{ id: `dlv_u${at}`, occurredAt: `t${at}`, changed },
    contact: { ...FIRST, ...contact },
  });
const LAST = { id: 'c1', phone: '1', fields: { a: '1' }, tags: ['x'] };
const LIFE = [
  made(),
  updated(1, ['fields'], { fields: { a: '1' } }),
  updated(2, ['tags', 'optIn'], { fields: { a: '1' }, tags: ['x'], optIn: true }),
];
const lives = (deliveries: readonly Delivery[]) => ({
  deliveries,
  contacts: [LAST],
  store: store(),
});

show(changes, {
  everyChangeOfConversationsIsTold: {
    well: [{ deliveries: TOLD, store: kept }],
    'conversation.reopened of cnv_1 happened 1 times, was told 0 times': [
      { deliveries: TOLD.slice(0, 3), store: kept },
    ],
    'conversation.resolved of cnv_1 happened 1 times, was told 2 times': [
      { deliveries: [...TOLD, of('resolved', 5)], store: kept },
    ],
    'conversation.assigned m2 > m1 of cnv_1 happened 0 times, was told 1 times': [
      {
        deliveries: [...TOLD, of('assigned', 5, { members: { from: 'm2', to: 'm1' } })],
        store: kept,
      },
    ],
  },
  everyContactIsToldOnce: {
    well: [lives(LIFE), { ...lives(LIFE), contacts: [{ ...LAST, formerIds: ['c0'] }] }],
    'c1 was told as created 0 times': [lives(LIFE.slice(1))],
    'c1 was told as created 2 times': [lives([...LIFE, made({ id: 'dlv_d' })])],
    'c9 was told as created and is no contact': [
      lives([...LIFE, made({ id: 'dlv_d', subject: 'c9' })]),
    ],
  },
  updatesLeadFromFirstToLast: {
    well: [lives(LIFE), lives(LIFE.toReversed())],
    'tags,optIn of c1 at t2 does not follow': [lives(LIFE.filter((_, at) => at !== 1))],
    'fields of c1 at t1 does not follow': [
      lives([...LIFE, updated(1, ['fields'], { fields: { a: '1' } })]),
    ],
    ' of c1 at t3 does not follow': [
      lives([...LIFE, updated(3, [], { fields: { a: '1' }, tags: ['x'], optIn: true })]),
    ],
    'tags of c1 was not told': [lives(LIFE.slice(0, 2))],
  },
});
