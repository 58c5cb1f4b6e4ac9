import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDuration, parseDuration } from '../../../../shared/provisioning/duration.ts';
import { forAll } from '../../../support/property.ts';

test('a duration is a number and its unit, in milliseconds', () => {
  const table = [
    ['250ms', 250],
    ['6s', 6_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0.0004s', null],
    ['0.001s', 1],
    ['0.4ms', 0],
    ['999999999ms', 999_999_999],
    ['1000000000ms', null],
  ] as const;
  for (const [text, ms] of table) assert.equal(parseDuration(text), ms, text);
  for (const text of ['', '5', 's', '5 s', ' 5s', '5s ', '-5s', '5w', '5S', '1.s', '5ms5']) {
    assert.equal(parseDuration(text), null, text);
  }
});

test('a duration is written as it is read', () => {
  const durationArb = fc
    .tuple(fc.nat(999_999_999), fc.nat(999), fc.constantFrom('ms', 's', 'm', 'h', 'd'))
    .map(([whole, thousandths, unit]) => `${whole}.${String(thousandths).padStart(3, '0')}${unit}`);
  forAll([durationArb], (text) => {
    const ms = parseDuration(text);
    assert.ok(ms !== null);
    assert.equal(parseDuration(formatDuration(ms)), ms);
  });
  const written = [6_000, 90_000, 3_600_000, 0, 250].map(formatDuration);
  assert.deepEqual(written, ['6s', '90s', '1h', '0d', '250ms']);
});
