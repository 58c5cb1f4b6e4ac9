import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShownTimes } from '../../../../../infra/tools/shots/shown-times.ts';

const FIRST = '2026-03-09T20:00:00.000Z';
const SECOND = '2026-03-10T12:00:00.000Z';

/** Two acts at 10 s and 12.5 s; the pictures are taken at 30 s. */
function twoActs(): ShownTimes {
  let now = 10_000;
  const times = new ShownTimes(() => now);
  times.begin(FIRST);
  now = 12_500;
  times.begin(SECOND);
  now = 30_000;
  return times;
}

function shown(ms: number): string {
  const told = JSON.stringify({ at: new Date(ms).toISOString() });
  const { at }: { at: string } = JSON.parse(twoActs().in(told));
  return at;
}

test('a time of the service is shown as the time of its act', () => {
  assert.equal(shown(10_000), FIRST);
  assert.equal(shown(12_499), FIRST);
  assert.equal(shown(12_500), SECOND);
  assert.equal(shown(29_000), SECOND);
});

test('a timer rings as long after its act as it was set to', () => {
  assert.equal(shown(10_040 + 30 * 60_000), '2026-03-09T20:30:00.000Z');
  assert.equal(shown(12_700 + 120 * 60_000), '2026-03-10T14:00:00.000Z');
});

test('days of the story itself stay, and so does all other text', () => {
  assert.equal(shown(5_000), '1970-01-01T00:00:05.000Z');
  assert.equal(twoActs().in('{"day":"2026-03-12"}'), '{"day":"2026-03-12"}');
});
