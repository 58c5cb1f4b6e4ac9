/** Events and deliveries: well, and gone wrong. */
import {
  delivery,
  entry,
  evidence,
  posted,
  record,
  type Shown,
  toBoth,
} from './evidence-fixture.ts';

const RECEIPTS = { sent: 5, delivered: null, read: null };
const one = delivery({ event: 'message.sent', subject: { messageId: 'msg_a' } });

export const DELIVERIES: Readonly<Record<string, Shown>> = {
  oneDeliveryPerEvent: {
    well: evidence({
      deliveries: [
        ...toBoth('message.sent', 'msg_a'),
        ...toBoth('message.sent', 'msg_b'),
        // Won, reopened, and won again.
        delivery({ event: 'deal.won', subject: { deal: { id: 'deal_1' }, occurredAt: '1' } }),
        delivery({ event: 'deal.won', subject: { deal: { id: 'deal_1' }, occurredAt: '2' } }),
      ],
    }),
    wrong: {
      'an event is delivered twice': {
        evidence: evidence({ deliveries: [one, { ...one, _id: 'dlv_again' }] }),
        says: /message\.sent of msg_a {2}for sub_all: 2 deliveries/,
      },
    },
  },
  everyTransitionIsTold: {
    well: evidence({
      entries: [
        entry('a', 1, { message: { receipts: RECEIPTS } }),
        entry('b', 2, { message: { status: 'failed' } }),
        entry('c', 3, { message: { direction: 'in' } }),
        entry('d', 4, { message: { direction: 'note' } }),
        entry('e', 5, { message: null }),
      ],
      deals: [record('deal_1')],
      tasks: [record('task_1')],
      deliveries: [
        ...toBoth('message.sent', 'msg_a'),
        ...toBoth('message.received', 'msg_c'),
        delivery({ event: 'deal.created', subject: { deal: { id: 'deal_1' } } }),
        delivery({ event: 'task.created', subject: { task: { id: 'task_1' } } }),
      ],
    }),
    wrong: {
      'a sent message is told to one of two': {
        evidence: evidence({
          entries: [entry('a', 1, { message: { receipts: RECEIPTS } })],
          deliveries: toBoth('message.sent', 'msg_a').slice(1),
        }),
        says: /message\.sent of msg_a was told 1 times, not 2/,
      },
      'a message is told to be sent that was not': {
        evidence: evidence({
          entries: [entry('a', 1)],
          deliveries: toBoth('message.sent', 'msg_a'),
        }),
        says: /message\.sent of msg_a was told 2 times, not 0/,
      },
      'what a contact wrote is not told': {
        evidence: evidence({ entries: [entry('c', 1, { message: { direction: 'in' } })] }),
        says: /message\.received of msg_c was told 0 times, not 2/,
      },
      'a deal is not told': {
        evidence: evidence({ deals: [record('deal_1')] }),
        says: /deal\.created of deal_1 was told 0 times, not 1/,
      },
      'a task is not told': {
        evidence: evidence({ tasks: [record('task_1')] }),
        says: /task\.created of task_1 was told 0 times, not 1/,
      },
    },
  },
  attemptsAreCounted: {
    well: evidence({
      deliveries: [{ ...one, state: { ...one.state, counted: 3 } }],
      // One was cut off before it was made, or its outcome got lost.
      posts: [posted(one), posted(one, { at: 600 })],
    }),
    wrong: {
      'a delivery is posted that is not on record': {
        evidence: evidence({ posts: [posted(one)] }),
        says: /delivery dlv_message\.sent_sub_all was posted and is not on record/,
      },
      'an attempt is not counted': {
        evidence: evidence({ deliveries: [one], posts: [posted(one), posted(one)] }),
        says: /was posted 2 times and counted 1/,
      },
      'there are more attempts than seven': {
        evidence: evidence({
          deliveries: [{ ...one, state: { ...one.state, counted: 8 } }],
          posts: Array.from({ length: 8 }, () => posted(one)),
        }),
        says: /was posted 8 times/,
      },
      'a later attempt has other bytes': {
        evidence: evidence({
          deliveries: [{ ...one, state: { ...one.state, counted: 2 } }],
          posts: [posted(one), posted(one, { body: '{}' })],
        }),
        says: /changed its bytes/,
      },
    },
  },
  everyDeliveryEnds: {
    well: evidence({
      deliveries: [
        one,
        delivery({ event: 'message.read', subject: {}, status: 'failed' }),
        delivery({ event: 'message.delivered', subject: {}, status: 'parked' }),
      ],
      posts: [posted(one)],
    }),
    wrong: {
      'a delivery is left lying': {
        evidence: evidence({
          deliveries: [delivery({ event: 'message.sent', subject: {}, status: 'pending' })],
        }),
        says: /is still pending/,
      },
      'a delivery has succeeded that was not posted': {
        evidence: evidence({ deliveries: [one] }),
        says: /succeeded without a POST/,
      },
    },
  },
};
