import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  dayAfter,
  isLocalTime,
  localMoment,
  nextLocalTime,
  WEEKDAYS,
} from '../../../../shared/time/local-time.ts';
import { NOW, ORG } from '../../../support/actors/conversation/flow/flow-fixture.ts';

describe('local times', () => {
  const table = [
    ['15:00', undefined, '2026-11-20T18:00:00.000Z'],
    ['09:00', undefined, '2026-11-21T12:00:00.000Z'],
    ['12:00', undefined, '2026-11-21T15:00:00.000Z'],
    ['09:00', ['mon'], '2026-11-23T12:00:00.000Z'],
    ['12:00', ['fri'], '2026-11-27T15:00:00.000Z'],
  ] as const;
  for (const [time, weekdays, expected] of table) {
    it(`${time} ${weekdays ?? ''} comes at ${expected}`, () => {
      const at = nextLocalTime({ time, weekdays }, NOW, ORG.timeZone);
      assert.equal(new Date(at).toISOString(), expected);
    });
  }

  it('a local time is HH:MM, 00:00 to 23:59', () => {
    for (const text of ['00:00', '09:30', '19:59', '23:59']) assert.ok(isLocalTime(text), text);
    for (const text of ['24:00', '9:30', '09:60', '109:30', '09:300', ' 09:30', '09:30\n', '']) {
      assert.ok(!isLocalTime(text), text);
    }
  });

  it('a moment has the day, the weekday and the minute that the zone’s clocks show', () => {
    // 2026-11-16 is a Monday.
    for (const [days, weekday] of ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].entries()) {
      const at = Date.parse('2026-11-16T02:59:59.999Z') + days * 86_400_000;
      const day = `2026-11-${16 + days}`;
      assert.deepEqual(localMoment(at, 'UTC'), { weekday, time: '02:59', day });
      const yesterday = { weekday: WEEKDAYS[(days + 6) % 7], day: `2026-11-${15 + days}` };
      assert.deepEqual(localMoment(at, ORG.timeZone), { ...yesterday, time: '23:59' });
      assert.equal(localMoment(at + 1, ORG.timeZone).time, '00:00');
      const next = nextLocalTime({ time: '02:59', weekdays: [WEEKDAYS[days] ?? 'mon'] }, at, 'UTC');
      assert.equal(next - at, 7 * 86_400_000 - 59_999, 'a week later');
    }
  });

  it('days are counted by the calendar of the zone', () => {
    const at = Date.parse('2026-12-31T02:30:00Z');
    assert.equal(dayAfter(at, 0, ORG.timeZone), '2026-12-30');
    assert.equal(dayAfter(at, 3, ORG.timeZone), '2027-01-02');
    assert.equal(dayAfter(at, 3, 'UTC'), '2027-01-03');
  });

  it('a time that a clock change skips moves forward', () => {
    const after = Date.parse('2026-03-28T20:00:00Z');
    const at = nextLocalTime({ time: '02:30' }, after, 'Europe/Lisbon');
    assert.equal(new Date(at).toISOString(), '2026-03-29T01:30:00.000Z');
    const skipped = nextLocalTime({ time: '01:30' }, after, 'Europe/Lisbon');
    assert.equal(new Date(skipped).toISOString(), '2026-03-29T01:30:00.000Z');
  });

  it('a time that a clock change repeats comes once, the first time', () => {
    const table = [
      ['Europe/Lisbon', '01:30', '2026-10-24T20:00:00Z', '2026-10-25T00:30:00.000Z'],
      ['America/New_York', '01:00', '2026-10-31T20:00:00Z', '2026-11-01T05:00:00.000Z'],
      // Between the two, and at the first: the next day's.
      ['Europe/Lisbon', '01:30', '2026-10-25T01:00:00Z', '2026-10-26T01:30:00.000Z'],
      ['Europe/Lisbon', '01:30', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
    ] as const;
    for (const [zone, time, after, expected] of table) {
      const at = nextLocalTime({ time }, Date.parse(after), zone);
      assert.equal(new Date(at).toISOString(), expected, `${zone} ${time} after ${after}`);
    }
  });
});
