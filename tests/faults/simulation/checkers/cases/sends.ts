/** Sends and logs: well, and gone wrong. */
import { asked, entry, evidence, log, type Shown, sent } from './evidence-fixture.ts';

export const SENDS: Readonly<Record<string, Shown>> = {
  acceptedIsDurable: {
    well: evidence({
      history: [
        sent('a'),
        sent('b', { status: 503, response: null }),
        sent('c', { status: 503, response: null }),
        sent('d', { status: 422, response: null }),
        asked({ operation: 'inbound-webhook', status: 200, request: { message: 'e' } }),
      ],
      entries: log('a', 'b', 'e'),
    }),
    wrong: {
      'a message is lost that was accepted': {
        evidence: evidence({ history: [sent('a')] }),
        says: /send a \(201\) was accepted and is in no log/,
      },
      'an inbound webhook’s message is lost': {
        evidence: evidence({
          history: [
            asked({ operation: 'inbound-webhook', status: 200, request: { message: 'e' } }),
          ],
        }),
        says: /inbound-webhook e \(200\) was accepted and is in no log/,
      },
      'a message is there twice that was accepted': {
        evidence: evidence({
          history: [sent('a')],
          entries: [entry('a', 1), { ...entry('a', 2), _id: 'msg_again' }],
        }),
        says: /send a \(201\) is in the logs 2 times/,
      },
      'a message is there twice of which nobody could say': {
        evidence: evidence({
          history: [sent('a', { status: 504, response: null })],
          entries: [entry('a', 1), { ...entry('a', 2), _id: 'msg_again' }],
        }),
        says: /send a \(504\) is in the logs 2 times/,
      },
      'a message is there that was refused': {
        evidence: evidence({
          history: [sent('a', { status: 409, response: null })],
          entries: log('a'),
        }),
        says: /send a \(409\) is in a log all the same/,
      },
      'the answer names another message': {
        evidence: evidence({
          history: [sent('a', { response: { data: { messageId: 'msg_b' } } })],
          entries: log('a'),
        }),
        says: /send a \(201\) was answered msg_b, stored msg_a/,
      },
    },
  },
  answeredFirstComesFirst: {
    well: evidence({
      history: [
        sent('a', { startedAt: 0, endedAt: 10 }),
        sent('b', { startedAt: 11, endedAt: 30 }),
        // At the same time as the one before: either may come first.
        sent('c', { startedAt: 12, endedAt: 20 }),
      ],
      entries: log('a', 'c', 'b'),
    }),
    wrong: {
      'two messages are swapped': {
        evidence: evidence({
          history: [
            sent('a', { startedAt: 0, endedAt: 10 }),
            sent('b', { startedAt: 11, endedAt: 30 }),
          ],
          entries: log('b', 'a'),
        }),
        says: /a was answered before b and follows it/,
      },
    },
  },
  logsHaveNoGapAndNoFork: {
    well: evidence({
      entries: [...log('a', 'b'), entry('x', 1, { conversationId: 'cnv_2' })],
    }),
    wrong: {
      'a place is empty': {
        evidence: evidence({ entries: [entry('a', 1), entry('c', 3)] }),
        says: /the log of cnv_1 has 3 at place 2/,
      },
      'two owners have taken the same place': {
        evidence: evidence({ entries: [entry('a', 1), entry('b', 2), entry('c', 2)] }),
        says: /msg_c was appended as 2 after 2/,
      },
      'a later place was taken first': {
        evidence: evidence({
          entries: log('a', 'b'),
          appended: [entry('b', 2), entry('a', 1)],
        }),
        says: /msg_b was appended as 2 after 0/,
      },
    },
  },
};
