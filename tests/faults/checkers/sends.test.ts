/** Sends and logs: well, and gone wrong. */
import { call, entry, inTurn, log, message, OTHER, PHONE, sent, show, store } from './fixture.ts';
import { sends } from './sends.ts';

/** Three accepted, one with unknown outcome, one refused. */
const FIVE = inTurn(sent('a'), sent('b'), sent('c', 'unknown'), sent('d', 429), sent('e'));
const webhook = call('send', { text: 'w' });
const heard = (externalId: string, place: number) =>
  message(externalId, { direction: 'in', externalId, place });
const wrote = (externalId: string) => call('inbound', { externalId });

show(sends, {
  acceptedIsDurable: {
    well: [
      { calls: FIVE, messages: log('a', 'b', 'c', 'e') },
      { calls: FIVE, messages: log('a', 'b', 'e') },
      { calls: [webhook], messages: log('w') },
      { calls: [sent('a', 'unknown'), sent('a', 409), sent('a')], messages: log('a') },
    ],
    'one is lost': [{ calls: FIVE, messages: log('a', 'e') }, /b was accepted and is lost/],
    'the first one is lost': [{ calls: FIVE, messages: log('b', 'e') }, /a was accepted/],
    'the last one is lost': [{ calls: FIVE, messages: log('a', 'b') }, /e was accepted/],
    'an inbound webhook’s message is lost': [{ calls: [webhook] }, /w was accepted and is lost/],
    'a conversation could not be read': [{ calls: [sent('a')] }, /a was accepted and is lost/],
    'an accepted one is doubled': [
      { calls: FIVE, messages: [...log('a', 'b', 'e'), message('x', { text: 'e' })] },
      /e is there 2 times/,
    ],
    'an unanswered one is doubled': [
      { calls: FIVE, messages: [...log('a', 'b', 'c', 'e'), message('x', { text: 'c' })] },
      /c is there 2 times/,
    ],
    'a refused one is there': [{ calls: FIVE, messages: log('a', 'b', 'd', 'e') }, /d was refused/],
    'the answer names another message': [
      { calls: [sent('a', { messageId: 'z' })], messages: log('a') },
      /a was answered z and is a/,
    ],
    'two answers differ': [
      { calls: [sent('a'), sent('a', { messageId: 'z' })], messages: log('a') },
      /a was answered as a, z/,
    ],
  },
  nothingElseIsWritten: {
    well: [
      {
        calls: [sent('a'), wrote('typed'), call('flow-start', { greeting: 'oi' })],
        messages: [
          ...log('a', 'oi'),
          message('n', { direction: 'note' }),
          message('f', { isAutomatic: true }),
          message('t', { externalId: 'typed' }),
        ],
      },
      { calls: [call('send', { conversationId: 'cnv_1', text: 'a' })], messages: log('a') },
    ],
    'one that nobody sent': [{ messages: log('z') }, /z \(z\) is there and nobody sent it/],
    'one that was sent to another': [
      { calls: [sent('a')], messages: [message('a', { phone: OTHER })] },
      /a \(a\) is there and nobody sent it/,
    ],
    'a bridge doubles ours': [
      { calls: [sent('a')], messages: [...log('a'), message('e', { text: 'b', phone: PHONE })] },
      /b \(e\) is there and nobody sent it/,
    ],
  },
  answeredFirstComesFirst: {
    well: [
      { calls: FIVE, messages: log('a', 'b', 'c', 'e') },
      // What nobody could answer may come later.
      { calls: FIVE, messages: log('a', 'b', 'e', 'c') },
      // At the same time either may come first.
      { calls: [sent('a'), sent('b')], messages: log('b', 'a') },
      {
        calls: inTurn(wrote('x'), wrote('x'), wrote('y')),
        messages: [heard('x', 1), heard('y', 2)],
      },
    ],
    'two are swapped': [{ calls: FIVE, messages: log('b', 'a', 'e') }, /was answered before b was/],
    'an unanswered one comes before one that had been answered': [
      { calls: FIVE, messages: log('a', 'c', 'b', 'e') },
      /b was answered before c/,
    ],
    'two of a contact’s are swapped': [
      { calls: inTurn(wrote('x'), wrote('y')), messages: [heard('y', 1), heard('x', 2)] },
      /x was answered before y/,
    ],
  },
  logsHaveNoGapAndNoFork: {
    well: [
      {
        store: store({
          entries: [entry('a', 1), entry('b', 2), entry('x', 1, { conversationId: 'cnv_2' })],
        }),
      },
    ],
    'a place is empty': [
      { store: store({ entries: [entry('a', 1), entry('c', 3)] }) },
      /the log of cnv_1 has 3 at place 2/,
    ],
    'two owners have taken the same place': [
      { store: store({ entries: [entry('a', 1), entry('b', 2), entry('c', 2)] }) },
      /c was appended as 2 after 2/,
    ],
    'a later place was taken first': [
      {
        store: store({
          entries: [entry('a', 1), entry('b', 2)],
          appended: [entry('b', 2), entry('a', 1)],
        }),
      },
      /b was appended as 2 after 0/,
    ],
  },
});
