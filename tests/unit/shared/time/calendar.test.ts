import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dueAt,
  endOfDay,
  hasTimestamps,
  isCalendarDay,
  remindAt,
  TIME_OF_DAY,
} from '../../../../shared/time/calendar.ts';
import { withRuns } from '../../../support/property.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

test('section 2, Task: a whole day is due at its end in the zone, with a time at that time', () => {
  const cases = [
    ['2026-11-21', null, 'America/Sao_Paulo', '2026-11-22T02:59:59.999Z'],
    ['2026-11-21', '00:00', 'America/Sao_Paulo', '2026-11-21T03:00:00.000Z'],
    ['2026-11-21', '23:59', 'Asia/Tokyo', '2026-11-21T14:59:00.000Z'],
    ['2028-02-29', null, 'UTC', '2028-02-29T23:59:59.999Z'],
    ['2026-11-21', null, 'Asia/Kathmandu', '2026-11-21T18:14:59.999Z'],
  ] as const;
  for (const [on, time, zone, expected] of cases) {
    assert.equal(iso(dueAt({ on, time }, zone)), expected);
  }
});

test('decisions, Tasks: a skipped time moves forward, one that occurs twice is the first', () => {
  const cases = [
    // Spring forward: 02:00 to 03:00 does not exist.
    ['2026-03-08', '02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
    ['2026-03-29', '02:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    // Fall back: 01:00 to 02:00 occurs twice.
    ['2026-11-01', '01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['2026-10-25', '02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    // At midnight: the day has no 00:30.
    ['2018-11-04', '00:30', 'America/Sao_Paulo', '2018-11-04T03:30:00.000Z'],
    // A whole day that never was.
    ['2011-12-30', '12:00', 'Pacific/Apia', '2011-12-30T22:00:00.000Z'],
  ] as const;
  for (const [on, time, zone, expected] of cases) {
    assert.equal(iso(dueAt({ on, time }, zone)), expected, `${on} ${time} ${zone}`);
  }
});

test('section 2, Task: a whole day is due at its last instant, also where the clocks change', () => {
  const cases = [
    // Back at midnight: 23:59:59.999 comes twice.
    ['2027-04-03', 'America/Santiago', '2027-04-04T03:59:59.999Z'],
    ['2027-10-28', 'Africa/Cairo', '2027-10-28T21:59:59.999Z'],
    ['2027-10-30', 'Asia/Beirut', '2027-10-30T21:59:59.999Z'],
    ['2027-10-30', 'America/Nuuk', '2027-10-31T01:59:59.999Z'],
    // Back a minute after midnight: some of the next day comes first.
    ['2010-11-06', 'America/St_Johns', '2010-11-07T03:29:59.999Z'],
    // Forward at 23:00, and at midnight.
    ['2027-03-27', 'America/Nuuk', '2027-03-28T00:59:59.999Z'],
    ['2027-04-29', 'Africa/Cairo', '2027-04-29T21:59:59.999Z'],
  ] as const;
  for (const [on, zone, expected] of cases) {
    assert.equal(iso(dueAt({ on, time: null }, zone)), expected, `${on} ${zone}`);
  }
});

const dayShown = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(at);

test('in every zone a whole day is due before, and only just before, another day begins', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const days = fc.date({
    min: new Date('2020-01-01T00:00:00Z'),
    max: new Date('2040-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  withRuns(2_000)([days, zones], (date, zone) => {
    const on = date.toISOString().slice(0, 10);
    const end = dueAt({ on, time: null }, zone);
    assert.equal(dayShown(end, zone), on);
    assert.ok(dayShown(end + 1, zone) > on);
    assert.equal(endOfDay(end, zone), end + 1);
  });
});

test('section 4, POST /tasks: the reminder goes at the due time or at 09:00 of the day', () => {
  const zone = 'America/Sao_Paulo';
  assert.equal(iso(remindAt({ on: '2026-11-21', time: null }, zone)), '2026-11-21T12:00:00.000Z');
  assert.equal(
    iso(remindAt({ on: '2026-11-21', time: '18:30' }, zone)),
    '2026-11-21T21:30:00.000Z',
  );
});

test('section 1: a deadline has a timestamp, whatever the zone', () => {
  const zones = ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Sao_Paulo', 'UTC'];
  for (const on of ['0000-01-02', '9999-12-30']) {
    assert.equal(hasTimestamps(on), true, on);
    for (const zone of zones) {
      for (const time of [null, '00:00', '23:59']) {
        assert.match(iso(dueAt({ on, time }, zone)), /^\d{4}-/, `${on} ${time} ${zone}`);
      }
    }
  }
  for (const on of ['0000-01-01', '9999-12-31']) assert.equal(hasTimestamps(on), false, on);
});

test('section 7: a calendar day that does not exist is none', () => {
  for (const day of ['2026-02-28', '2028-02-29', '2000-02-29', '2026-12-31', '0001-01-01']) {
    assert.equal(isCalendarDay(day), true, day);
  }
  const none = ['2026-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '2026-01-00'];
  const cut = ['20261120', '2026-1-2', '2026-11-20T00:00', '2026-11-20.0', ''];
  const malformed = [...cut, ' 2026-11-20', '2026-11-20 ', '2026-11-20\n', '２０２６-11-20'];
  for (const day of [...none, ...malformed]) assert.equal(isCalendarDay(day), false, day);
});

test('section 7: every day that a calendar knows exists, whatever its zone', () => {
  const dates = fc.date({
    min: new Date('1900-01-01T00:00:00Z'),
    max: new Date('2199-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  const zones = fc.constantFrom('UTC', 'America/Sao_Paulo', 'Asia/Kolkata', 'Australia/Lord_Howe');
  withRuns(2_000)([dates, zones], (date, zone) => {
    const on = date.toISOString().slice(0, 10);
    assert.ok(isCalendarDay(on));
    const end = dueAt({ on, time: null }, zone);
    assert.ok(remindAt({ on, time: null }, zone) < end);
    assert.ok(Math.abs(end - Date.parse(`${on}T23:59:59.999Z`)) <= 15 * 3_600_000);
  });
});

test('section 8: dueTime is HH:MM', () => {
  for (const time of ['00:00', '09:05', '23:59']) assert.match(time, TIME_OF_DAY);
  for (const time of ['24:00', '9:05', '12:60', '12:5', '12:00:00', '1200', ' 12:00']) {
    assert.doesNotMatch(time, TIME_OF_DAY);
  }
});

test('a day ends at the next midnight of its zone, however many hours it has', () => {
  const ends = (at: string, timeZone: string) => iso(endOfDay(Date.parse(at), timeZone));
  assert.equal(ends('2026-07-28T15:00:00Z', 'America/Sao_Paulo'), '2026-07-29T03:00:00.000Z');
  assert.equal(ends('2026-07-28T02:59:59Z', 'America/Sao_Paulo'), '2026-07-28T03:00:00.000Z');
  assert.equal(ends('2026-07-28T03:00:00Z', 'America/Sao_Paulo'), '2026-07-29T03:00:00.000Z');
  assert.equal(ends('2026-03-29T12:00:00Z', 'Europe/Lisbon'), '2026-03-29T23:00:00.000Z');
  // A day that begins at 01:00 ends at midnight as any other.
  assert.equal(ends('2027-09-05T12:00:00Z', 'America/Santiago'), '2027-09-06T03:00:00.000Z');
});
