import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOnCalendar } from '../../../../shared/time/is-on-calendar.ts';

test('a moment is on a day that there is, in a leap year too', () => {
  const table = [
    ['2026-02-28T23:59:59Z', true],
    ['2026-02-29T00:00:00Z', false],
    ['2028-02-29T00:00:00-03:00', true],
    ['2028-02-30T00:00:00Z', false],
    ['2026-04-31T00:00:00Z', false],
    ['2026-12-31T24:00:00Z', true],
    ['2026-12-31T25:00:00Z', false],
    ['soon', false],
  ] as const;
  for (const [moment, expected] of table) assert.equal(isOnCalendar(moment), expected, moment);
});
