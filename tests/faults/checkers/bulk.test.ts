/** Bulk messages: well, and gone wrong. */
import { bulk } from './bulk.ts';
import { call, delivery, message, NOW, PHONE, sent, show, transmission } from './fixture.ts';
import type { Call, Message, Request } from './history.ts';

const asked = (over: Request = {}): Call =>
  call('send', { phone: PHONE, text: 'a', priority: 'bulk', ...over }, { messageId: 'a' });
const fate = (over: Partial<Message> = {}, request: Request = {}) => ({
  calls: [asked(request)],
  messages: [message('a', over)],
});
const went = { transmissions: [transmission('a', { at: 100 })] };
const failed = (error: string) => ({ status: 'failed', error });
const ending = { endsAt: NOW };
const failedAt = (ms: number) => ({
  deliveries: [delivery('message.failed', 'a', { occurredAt: new Date(NOW + ms).toISOString() })],
});
const optOut = (startedAt: number, endedAt = startedAt + 10) =>
  call('opt-out', { phone: PHONE }, {}, { startedAt, endedAt });
const mark = (over: object) => ({ marks: [{ messageId: 'a', at: 90, ...over }] });

show(bulk, {
  eachEnds: {
    well: [
      fate(),
      fate(failed('131026')),
      fate({ status: 'cancelled' }),
      // No bulk message.
      { calls: [sent('b')], messages: [message('b', { status: 'queued' })] },
    ],
    'a (a) is still queued at the end': [fate({ status: 'queued' })],
  },
  endsAreOne: {
    well: [
      { ...fate(), ...went },
      { ...fate(failed('expired')), ...failedAt(0) },
      // The network refused it after it took it.
      { ...fate(failed('131026')), ...went },
    ],
    'a (a) is expired and was taken': [{ ...fate(failed('expired')), ...went }],
    'a (a) is cancelled and told as sent': [
      { ...fate({ status: 'cancelled' }), deliveries: [delivery('message.sent', 'a')] },
    ],
    'a (a) is cancelled and told as failed': [{ ...fate({ status: 'cancelled' }), ...failedAt(0) }],
  },
  expiredIsPastItsEnd: {
    well: [
      { ...fate(failed('expired'), ending), ...failedAt(1) },
      { ...fate(failed('131026')), ...failedAt(-1) },
    ],
    'a (a) expired 5 ms before its end': [{ ...fate(failed('expired'), ending), ...failedAt(-5) }],
    'a (a) expired and has no end': [{ ...fate(failed('expired')), ...failedAt(1) }],
  },
  noneAfterItsEnd: {
    well: [
      { ...fate({}, ending), ...mark({ since: NOW }) },
      { ...fate({}, ending), ...mark({ since: NOW + 5, isInsert: true }) },
      { ...fate(), ...mark({ since: NOW + 5 }) },
    ],
    'a (a) was marked 5 ms after its end': [{ ...fate({}, ending), ...mark({ since: NOW + 5 }) }],
  },
  onlyAfterAnOptOut: {
    well: [
      { ...fate({ ...failed('opted_out'), endedAt: 50 }), calls: [asked(), optOut(40)] },
      fate(failed('131026')),
    ],
    'a (a) is opted_out, and its contact was not then': [
      fate(failed('opted_out')),
      { ...fate({ ...failed('opted_out'), endedAt: 50 }), calls: [asked(), optOut(60)] },
    ],
  },
  noneAfterOptOut: {
    well: [
      { ...fate(), ...went, ...mark({}), calls: [asked(), optOut(85)] },
      { ...fate(), calls: [asked(), optOut(10)] },
    ],
    'a (a) was marked after the opt-out of 20': [
      { ...fate(), ...went, ...mark({}), calls: [asked(), optOut(10)] },
    ],
  },
});
