/** Scheduled messages: well, and gone wrong. */
import { call, type Ended, message, PHONE, show, transmission } from './fixture.ts';
import type { Call, Message, Settlement } from './history.ts';
import { scheduled } from './scheduled.ts';

const DUE = 1_000;
const waits = (text: string, over: Partial<Message> = {}): Message =>
  message(text, { dueAt: DUE, ...over });
const settled = (
  place: number,
  outcome: Settlement['outcome'] = 'released',
  settledAt = DUE,
): Settlement => ({ place, outcome, settledAt });
const asked = (text: string, over: Partial<Call> = {}) =>
  call('schedule', { phone: PHONE, text, dueAt: DUE }, { messageId: text }, over);
/** A message that the record tells of. */
const stored = (over: Partial<Message>, ...settlements: readonly Settlement[]) => ({
  messages: [waits('a', { settlements, ...over })],
});
const went = (text: string, at: number) => transmission(text, { at });
const cancel = (ended: Ended = {}, endedAt = 10) =>
  call('cancel', { messageId: 'a' }, ended, { endedAt });
const optOut = (endedAt: number, onlyOn?: string) =>
  call('opt-out', { phone: PHONE, onlyOn }, {}, { startedAt: 50, endedAt });
const mark = (at: number) => [{ messageId: 'a', at }];
const cancelled = { status: 'cancelled' };

show(scheduled, {
  settledOnce: {
    well: [
      stored({}, settled(2)),
      stored(cancelled, settled(2, 'cancelled')),
      // Sent at once; and where the log is not known.
      stored({}),
      { messages: [waits('a')] },
    ],
    'a (a) was settled 2 times': [stored({}, settled(2), settled(3))],
    'a (a) is still scheduled': [
      // One waits for ever.
      stored({ status: 'scheduled' }),
      // One waits for ever, as it is read.
      { messages: [waits('a', { status: 'scheduled' })] },
    ],
    'was cancelled and is sent': [stored({}, settled(2, 'cancelled'))],
  },
  neverEarly: {
    well: [
      stored({}, settled(2)),
      stored(cancelled, settled(2, 'cancelled', 0)),
      { messages: [waits('a')], transmissions: [went('a', DUE - 3)] },
    ],
    'a went 1 ms early': [stored({}, settled(2, 'released', DUE - 1))],
    'a went 45 ms early': [
      { messages: [waits('a')], transmissions: [went('a', DUE - 50), went('a', DUE)] },
    ],
  },
  inTheOrderTheyBecameDue: {
    well: [
      {
        messages: [
          waits('b', { place: 1, dueAt: 2_000, settlements: [settled(4)] }),
          waits('a', { place: 2, settlements: [settled(3)] }),
          // Written when the other one had gone.
          waits('c', { place: 5, dueAt: 3_000, settlements: [settled(6)] }),
          waits('d', { place: 7, dueAt: 2_500, settlements: [settled(8)] }),
        ],
      },
      {
        calls: [asked('a'), asked('b')],
        messages: [waits('a'), waits('b', { dueAt: 2_000 })],
        transmissions: [went('a', 2_100), went('b', 2_200)],
      },
    ],
    'a was due before b, and went after it': [
      // The later one is settled first.
      {
        messages: [
          waits('a', { place: 1, settlements: [settled(4)] }),
          waits('b', { place: 2, dueAt: 2_000, settlements: [settled(3)] }),
        ],
      },
      // The later one comes first.
      {
        calls: [asked('a'), asked('b')],
        messages: [waits('a'), waits('b', { dueAt: 2_000 })],
        transmissions: [went('b', 2_100), went('a', 2_200)],
      },
    ],
  },
  endedIsNotHandedOver: {
    well: [
      { calls: [cancel()], ...stored(cancelled, settled(2, 'cancelled')) },
      { calls: [cancel(409)], messages: [waits('a')], transmissions: [went('a', DUE)] },
    ],
    'a was cancelled and is read': [
      { calls: [cancel()], messages: [waits('a', { status: 'read' })] },
    ],
    'a had ended and was handed over': [
      // A cancelled one reaches the network.
      { messages: [waits('a', cancelled)], transmissions: [went('a', DUE)] },
      // One that failed at its time reaches the network.
      { ...stored({ status: 'sent' }, settled(2, 'failed')), transmissions: [went('a', DUE)] },
    ],
  },
  cancelledIsNotHandedOver: {
    well: [
      { calls: [cancel()], messages: [message('a', cancelled)] },
      { calls: [cancel(409)], messages: [message('a')], transmissions: [went('a', DUE)] },
      // The network did not take it, and it waited again.
      {
        calls: [cancel({}, DUE + 10)],
        messages: [message('a', cancelled)],
        transmissions: [transmission('a', { at: DUE, taken: null })],
      },
    ],
    'a was cancelled, and is sent all the same': [
      { calls: [cancel()], messages: [message('a', { status: 'sent' })] },
    ],
    'a is cancelled, and was handed over': [
      { messages: [message('a', cancelled)], transmissions: [went('a', DUE)] },
      {
        calls: [cancel({}, DUE - 10)],
        messages: [message('a', cancelled)],
        transmissions: [transmission('a', { at: DUE, taken: null })],
      },
    ],
  },
  noneAfterOptOut: {
    well: [
      // Marked before the answer; and a caller's own message.
      {
        calls: [optOut(90)],
        messages: [...stored({}, settled(2)).messages, message('now')],
        marks: mark(80),
        transmissions: [went('a', 100), went('now', 300)],
      },
      {
        calls: [optOut(DUE + 10)],
        messages: [waits('a')],
        marks: mark(DUE),
        transmissions: [went('a', DUE + 30)],
      },
      // Said on another channel.
      {
        calls: [optOut(90, 'chn_2')],
        ...stored({ channelId: 'chn_1' }, settled(2)),
        transmissions: [went('a', 200)],
      },
    ],
    'a was marked after the opt-out of 90': [
      // One is marked after the opt-out was answered.
      {
        calls: [optOut(90)],
        ...stored({}, settled(2)),
        marks: mark(95),
        transmissions: [went('a', 100)],
      },
      // One whose mark is not known was due after it.
      { calls: [optOut(90)], messages: [waits('a')], transmissions: [went('a', DUE)] },
    ],
  },
});
