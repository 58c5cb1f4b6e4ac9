/** Events and deliveries: well, and gone wrong. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { PROBE_MAX_MS } from '../../../actors/domain/breaker.ts';
import { deliveries } from './deliveries.ts';
import { DEAL, delivery, history, kill, log, message, show, store } from './fixture.ts';
import type { Attempt, Delivery } from './history.ts';

const SECRET = 'whsec_of-a-story';
const attempts = (...answers: readonly number[]): readonly Attempt[] =>
  answers.map((answered, index) => ({ at: 200 + index, bytes: 'x', answered }));
const TWO = { copies: { 'message.sent': 2, 'message.received': 2 } };
const deals = [{ ...DEAL, readAt: 0 }];
const toBoth = (event: string, subject: string) =>
  ['all', 'messages'].map((subscription) => delivery(event, subject, { subscription }));
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
    ],
    'an event is delivered twice': [
      { deliveries: [...toBoth('message.sent', 'a'), ...toBoth('message.sent', 'a')] },
      /message\.sent of a {2}for all: 2 deliveries/,
    ],
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
    'a lost one': [{ messages: log('a') }, /message\.sent of a made 0 deliveries, not 1/],
    'a sent message is told to one of two': [
      { ...TWO, messages: log('a'), ...sentOf() },
      /message\.sent of a made 1 deliveries, not 2/,
    ],
    'a second delivery of one event': [
      { messages: log('a'), deliveries: toBoth('message.sent', 'a') },
      /message\.sent of a made 2 deliveries, not 1/,
    ],
    'what a contact wrote is not told': [
      { messages: [message('c', { direction: 'in' })] },
      /message\.received of c made 0 deliveries/,
    ],
    'a failure is not told': [{ messages: [message('a', { status: 'failed' })] }, /of a made 0/],
    'a deal is not told': [{ deals }, /deal\.created of deal_1 made 0 deliveries/],
    'a task is not told': [
      { store: store({ tasks: [{ id: 'task_1', title: 't' }] }) },
      /task\.created of task_1 made 0 deliveries/,
    ],
  },
  nothingElseIsTold: {
    well: [
      { messages: log('a'), ...sentOf() },
      { messages: [message('a', { status: 'failed' })], ...sentOf() },
    ],
    'an event of what is not there': [sentOf(), /message\.sent of a was told and is not there/],
    'a message is told to be sent that was not': [
      { messages: [message('a', { wasSent: false })], ...sentOf() },
      /message\.sent of a was told and is not there/,
    ],
  },
  attemptsAreCounted: {
    well: [
      // One was cut off before it was made, or its outcome got lost.
      { store: store(), ...recorded('succeeded', 3, { attempts: attempts(503, 200) }) },
      sentOf({ attempts: attempts(503, 503, 503, 503, 503, 503, 200) }),
    ],
    'one is posted that is not on record': [{ store: store(), ...sentOf() }, /delivery dlv_a was/],
    'an attempt is not counted': [
      { store: store(), ...recorded('succeeded', 1, { attempts: attempts(503, 200) }) },
      /was posted 2 times and counted 1/,
    ],
    'there are more attempts than seven': [
      sentOf({ attempts: attempts(503, 503, 503, 503, 503, 503, 503, 200) }),
      /dlv_a was posted 8 times/,
    ],
    'a later attempt has other bytes': [
      sentOf({ attempts: [...attempts(503), { at: 300, bytes: 'y' }] }),
      /dlv_a changed its bytes/,
    ],
    'the header names another event': [sentOf({ named: 'message.read' }), /called message\.sent/],
  },
  attemptsAreSigned: {
    well: [{ secret: SECRET, deliveries: signedBy({}, signature) }],
    'with another secret': [
      { secret: 'whsec_another', deliveries: signedBy({}, signature) },
      /dlv_a is not signed/,
    ],
    'other bytes': [
      { secret: SECRET, deliveries: signedBy({ body: `${signed.body} ` }, signature) },
      /dlv_a is not signed/,
    ],
    'not at all': [{ secret: SECRET, ...sentOf() }, /dlv_a is not signed/],
  },
  noneAfterItWasTaken: {
    well: [
      sentOf({ attempts: attempts(503, 503, 200) }),
      { ...again, faults: [kill('actors-2', 0, 300)] },
    ],
    'it comes again': [again, /dlv_a came again after it was answered 200/],
    'and a fault elsewhere explains nothing': [
      { ...again, faults: [kill('nats', 0, 300)] },
      /dlv_a came again/,
    ],
  },
  everyDeliveryEnds: {
    well: ['succeeded', 'failed', 'parked'].map((status) => ({
      store: store(),
      ...recorded(status),
    })),
    'one is left lying': [{ store: store(), ...recorded('pending') }, /is still pending/],
    'one has succeeded that was not posted': [
      { store: store(), ...recorded('succeeded', 1, { attempts: [] }) },
      /succeeded without a POST/,
    ],
  },
  parkedDeliveriesComeBack: {
    well: [{ ...LONG, ...recorded('parked'), store: store({ disabled: new Set(['all']) }) }],
    'one stays parked with a healthy subscriber': [
      { ...LONG, ...recorded('parked'), store: store() },
      /is parked although its subscriber is well/,
    ],
  },
});

test('attempts are counted by their answers', () => {
  const told = history({ messages: log('a'), ...sentOf({ attempts: attempts(503, 200, 200) }) });
  const all = { deliveries: 1, attemptsReceived: 3, eventsExpected: 1 };
  assert.deepEqual(deliveries.counted?.(told), { ...all, refused: 1, receivedAgain: 1 });
});
