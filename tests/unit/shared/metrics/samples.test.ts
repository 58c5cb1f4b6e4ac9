/** Increases of counters between two readings of a process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { increases, seriesIn } from '../../../../shared/metrics/samples.ts';
import { forAll } from '../../../support/property.ts';

const NAMES = ['recado_events_total', 'recado_turn_duration_seconds_count{kind="task"}'];
const pages = fc.array(fc.nat(1_000), { minLength: 2, maxLength: 2 });

function page(values: readonly number[]): string {
  return NAMES.map((name, at) => `${name} ${values[at]}\n`).join('');
}

function risen(before: string, after: string): readonly (readonly [string, number])[] {
  return increases(seriesIn(before), seriesIn(after)).map(({ name, value }) => [name, value]);
}

test('counters tell what has happened, and gauges nothing', () => {
  const text = `# TYPE recado_events_total counter
recado_events_total 5
recado_mailbox_depth 9
nodejs_active_handles_total 7
process_cpu_seconds_total 1.5
recado_turn_duration_seconds_bucket{kind="task",status="200",le="+Inf"} 4
`;
  assert.deepEqual(risen('recado_events_total 2\nprocess_cpu_seconds_total 1\n', text), [
    ['recado_events_total', 3],
    ['process_cpu_seconds_total', 0.5],
    ['recado_turn_duration_seconds_bucket', 4],
  ]);
  const [, , sample] = increases(new Map(), seriesIn(text));
  assert.deepEqual(sample?.labels, { kind: 'task', status: '200', le: '+Inf' });
});

test('no increase is negative, and after a new beginning each is the new count', () => {
  forAll([pages, pages], (before, after) => {
    const found = risen(page(before), page(after)).map(([, value]) => value);
    const beganAnew = after.some((value, at) => value < (before[at] ?? 0));
    const expected = after.map((value, at) => (beganAnew ? value : value - (before[at] ?? 0)));
    assert.deepEqual(found, expected);
    assert.ok(found.every((value) => value >= 0));
  });
});
