/** Events and deliveries: well, and gone wrong. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { PROBE_MAX_MS } from '../../../actors/domain/breaker.ts';
import { deliveries } from './deliveries.ts';
import {
  DEAL,
  delivery,
  history,
  kill,
  log,
  message,
  show,
  store,
  transmission,
} from './fixture.ts';
import type { Attempt, Delivery } from './history.ts';

const SECRET = 'whsec_of-a-story';
const attempts = (...answers: readonly number[]): readonly Attempt[] =>
  answers.map((answered, index) => ({ at: 200 + index, bytes: 'x', answered }));
const TWO = { copies: { 'message.sent': 2, 'message.received': 2 } };
const deals = [{ ...DEAL, readAt: 0 }];
const toBoth = (event: string, subject: string) =>
  ['all', 'messages'].map((subscription) => delivery(event, subject, { subscription }));
const failedUnsent = [message('a', { status: 'failed', wasSent: false })];
const sentOf = (over: Partial<Delivery> = {}) => ({
  deliveries: [delivery('message.sent', 'a', over)],
});
const recorded = (status: string, counted = 1, over: Partial<Delivery> = {}) =>
  sentOf({ subscription: 'all', state: { status, counted }, ...over });
const signed = delivery('message.sent', 'a');
const signature = `sha256=${createHmac('sha256', SECRET).update(signed.body).digest('hex')}`;
const signedBy = (over: Partial<Delivery>, signature_: string) => {
  return [{ ...signed, attempts: [{ at: 1, bytes: 'x', signature: signature_ }], ...over }];
};
const LONG = { healed: { at: 0 }, endedAt: PROBE_MAX_MS + 60_000 };
const again = sentOf({ attempts: attempts(503, 200, 200) });

/** Done, undone, and done again. */
const TWICE_AT_ONCE = ['x', 'y'].map((id) =>
  delivery('task.completed', 't', { id, subscription: 'all', occurredAt: '1' }),
);

show(deliveries, {
  oneDeliveryPerEvent: {
    well: [
      {
        deliveries: [
          ...toBoth('message.sent', 'a'),
          ...toBoth('message.sent', 'b'),
          // Won, reopened, and won again.
          delivery('deal.won', 'd', { subscription: 'all', occurredAt: '1' }),
          delivery('deal.won', 'd', { subscription: 'all', occurredAt: '2' }),
        ],
      },
      { deliveries: TWICE_AT_ONCE, store: store({ clocksJumpedAt: 1 }) },
    ],
    'message.sent of a  for all: 2 deliveries': [
      { deliveries: [...toBoth('message.sent', 'a'), ...toBoth('message.sent', 'a')] },
    ],
    'task.completed of t 1 for all: 2 deliveries': [{ deliveries: TWICE_AT_ONCE }],
  },
  everyTransitionIsTold: {
    well: [
      {
        ...TWO,
        messages: [
          message('a', { wasSent: true }),
          message('b', { status: 'failed', wasSent: false }),
          message('c', { direction: 'in', status: 'received' }),
          message('d', { direction: 'note' }),
          message('e', { wasSent: false, status: 'queued' }),
        ],
        deals,
        store: store({ tasks: [{ id: 'task_1', title: 't' }] }),
        deliveries: [
          ...toBoth('message.sent', 'a'),
          ...toBoth('message.received', 'c'),
          delivery('message.failed', 'b'),
          delivery('deal.created', 'deal_1'),
          delivery('task.created', 'task_1'),
        ],
      },
    ],
    'message.sent of a made 0 deliveries, not 1': [{ messages: log('a') }],
    'message.sent of a made 1 deliveries, not 2': [{ ...TWO, messages: log('a'), ...sentOf() }],
    'message.sent of a made 2 deliveries, not 1': [
      { messages: log('a'), deliveries: toBoth('message.sent', 'a') },
    ],
    'message.received of c made 0 deliveries': [{ messages: [message('c', { direction: 'in' })] }],
    'message.failed of a made 0 deliveries, not 1': [
      { messages: [message('a', { status: 'failed' })] },
    ],
    'deal.created of deal_1 made 0 deliveries': [{ deals }],
    'task.created of task_1 made 0 deliveries': [
      { store: store({ tasks: [{ id: 'task_1', title: 't' }] }) },
    ],
  },
  nothingElseIsTold: {
    well: [
      { messages: log('a'), ...sentOf() },
      { messages: [message('a', { status: 'failed' })], ...sentOf() },
      // Taken by the network, and refused by it later: two owners at once recorded the two.
      { messages: failedUnsent, transmissions: [transmission('a')], ...sentOf() },
    ],
    'message.sent of a was told and is not there': [
      // An event of what is not there.
      sentOf(),
      // A message is told to be sent that was not.
      { messages: [message('a', { wasSent: false })], ...sentOf() },
      // So is one that failed, and never came to the network.
      { messages: failedUnsent, transmissions: [transmission('a', { taken: null })], ...sentOf() },
    ],
  },
  attemptsAreCounted: {
    well: [
      // One was cut off before it was made, or its outcome got lost.
      { store: store(), ...recorded('succeeded', 3, { attempts: attempts(503, 200) }) },
      sentOf({ attempts: attempts(503, 503, 503, 503, 503, 503, 200) }),
    ],
    'delivery dlv_a was posted and is not on record': [{ store: store(), ...sentOf() }],
    'was posted 2 times and counted 1': [
      { store: store(), ...recorded('succeeded', 1, { attempts: attempts(503, 200) }) },
    ],
    'dlv_a was posted 8 times': [
      sentOf({ attempts: attempts(503, 503, 503, 503, 503, 503, 503, 200) }),
    ],
    'dlv_a changed its bytes': [sentOf({ attempts: [...attempts(503), { at: 300, bytes: 'y' }] })],
    'dlv_a is called message.sent and tells message.read': [sentOf({ named: 'message.read' })],
  },
  attemptsAreSigned: {
    well: [{ secret: SECRET, deliveries: signedBy({}, signature) }],
    'dlv_a is not signed': [
      // With another secret.
      { secret: 'whsec_another', deliveries: signedBy({}, signature) },
      // Other bytes.
      { secret: SECRET, deliveries: signedBy({ body: `${signed.body} ` }, signature) },
      // Not at all.
      { secret: SECRET, ...sentOf() },
    ],
  },
  noneAfterItWasTaken: {
    well: [
      sentOf({ attempts: attempts(503, 503, 200) }),
      { ...again, faults: [kill('actors-2', 0, 300)] },
    ],
    'dlv_a came again after it was answered 200': [
      again,
      // A fault elsewhere explains nothing.
      { ...again, faults: [kill('nats', 0, 300)] },
    ],
  },
  everyDeliveryEnds: {
    well: ['succeeded', 'failed', 'parked'].map((status) => ({
      store: store(),
      ...recorded(status),
    })),
    'is still pending': [{ store: store(), ...recorded('pending') }],
    'succeeded without a POST': [{ store: store(), ...recorded('succeeded', 1, { attempts: [] }) }],
  },
  parkedDeliveriesComeBack: {
    well: [{ ...LONG, ...recorded('parked'), store: store({ disabled: new Set(['all']) }) }],
    'is parked although its subscriber is well': [
      { ...LONG, ...recorded('parked'), store: store() },
    ],
  },
});

test('attempts are counted by their answers', () => {
  const told = history({ messages: log('a'), ...sentOf({ attempts: attempts(503, 200, 200) }) });
  const all = { deliveries: 1, attemptsReceived: 3, eventsExpected: 1 };
  assert.deepEqual(deliveries.counted?.(told), { ...all, refused: 1, receivedAgain: 1 });
});
