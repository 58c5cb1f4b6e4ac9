/** Sends and logs: well, and gone wrong. */
import { call, entry, inTurn, log, message, OTHER, PHONE, sent, show, store } from './fixture.ts';
import { sends } from './sends.ts';

/** Three accepted, one with unknown outcome, one refused. */
const FIVE = inTurn(sent('a'), sent('b'), sent('c', 'unknown'), sent('d', 429), sent('e'));
const posted = call('send', { text: 'w' });
const heard = (externalId: string, place: number) =>
  message(externalId, { direction: 'in', externalId, place });
const after = (newest: string, text: string) => call('send', { text, after: newest });
const wrote = (externalId: string) => call('inbound', { externalId });

show(sends, {
  acceptedIsDurable: {
    well: [
      { calls: FIVE, messages: log('a', 'b', 'c', 'e') },
      { calls: FIVE, messages: log('a', 'b', 'e') },
      { calls: [posted], messages: log('w') },
      { calls: [sent('a', 'unknown'), sent('a', 409), sent('a')], messages: log('a') },
    ],
    'b was accepted and is lost': [{ calls: FIVE, messages: log('a', 'e') }],
    'a was accepted and is lost': [
      { calls: FIVE, messages: log('b', 'e') },
      // No conversation could be read.
      { calls: [sent('a')] },
    ],
    'e was accepted and is lost': [{ calls: FIVE, messages: log('a', 'b') }],
    'w was accepted and is lost': [{ calls: [posted] }],
    'e is there 2 times': [
      { calls: FIVE, messages: [...log('a', 'b', 'e'), message('x', { text: 'e' })] },
    ],
    'c is there 2 times': [
      { calls: FIVE, messages: [...log('a', 'b', 'c', 'e'), message('x', { text: 'c' })] },
    ],
    'd was refused and is there': [{ calls: FIVE, messages: log('a', 'b', 'd', 'e') }],
    'a was answered z and is a': [{ calls: [sent('a', { messageId: 'z' })], messages: log('a') }],
    'a was answered as a, z': [
      { calls: [sent('a'), sent('a', { messageId: 'z' })], messages: log('a') },
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
    'z (z) is there and nobody sent it': [{ messages: log('z') }],
    'a (a) is there and nobody sent it': [
      { calls: [sent('a')], messages: [message('a', { phone: OTHER })] },
    ],
    'b (e) is there and nobody sent it': [
      { calls: [sent('a')], messages: [...log('a'), message('e', { text: 'b', phone: PHONE })] },
    ],
  },
  oneGoesAfterEach: {
    well: [
      { calls: [after('m', 'a'), after('m', 'b')], messages: log('a') },
      { calls: [after('m', 'a'), after('n', 'b')], messages: log('a', 'b') },
    ],
    'a, b went after m at once': [
      { calls: [after('m', 'a'), after('m', 'b')], messages: log('a', 'b') },
    ],
  },
  answeredFirstComesFirst: {
    well: [
      { calls: FIVE, messages: log('a', 'b', 'c', 'e') },
      // What nobody could answer may come later.
      { calls: FIVE, messages: log('a', 'b', 'e', 'c') },
      // A page has the first one where it was released.
      {
        calls: FIVE,
        messages: log('b', 'a', 'e').map((each) =>
          each.text === 'a' ? { ...each, dueAt: 9 } : each,
        ),
      },
      // At the same time either may come first.
      { calls: [sent('a'), sent('b')], messages: log('b', 'a') },
      // Within a second of the network's time either may come first.
      {
        calls: inTurn(sent('a'), wrote('x')),
        messages: [heard('x', 1), message('a', { place: 2 })],
      },
      {
        calls: inTurn(wrote('x'), wrote('x'), wrote('y')),
        messages: [heard('x', 1), heard('y', 2)],
      },
    ],
    'a was answered before b was asked for, and follows it': [
      { calls: FIVE, messages: log('b', 'a', 'e') },
    ],
    'b was answered before c was asked for, and follows it': [
      { calls: FIVE, messages: log('a', 'c', 'b', 'e') },
    ],
    'a was answered before x was asked for, and follows it': [
      {
        calls: [sent('a'), { ...wrote('x'), startedAt: 2_000, endedAt: 2_010 }],
        messages: [heard('x', 1), message('a', { place: 2 })],
      },
    ],
    'x was answered before y was asked for, and follows it': [
      { calls: inTurn(wrote('x'), wrote('y')), messages: [heard('y', 1), heard('x', 2)] },
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
    'the log of cnv_1 has 3 at place 2': [
      { store: store({ entries: [entry('a', 1), entry('c', 3)] }) },
    ],
    'c was appended as 2 after 2': [
      { store: store({ entries: [entry('a', 1), entry('b', 2), entry('c', 2)] }) },
    ],
    'b was appended as 2 after 0': [
      {
        store: store({
          entries: [entry('a', 1), entry('b', 2)],
          appended: [entry('b', 2), entry('a', 1)],
        }),
      },
    ],
  },
});
