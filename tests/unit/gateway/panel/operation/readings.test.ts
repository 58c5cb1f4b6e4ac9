/** Readings of the metrics, for the operator's plots. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  happenedBetween,
  NOTHING,
  readingOf,
  together,
} from '../../../../../gateway/panel/operation/readings.ts';
import { quantile } from '../../../../../shared/metrics/samples.ts';

const TEXT = `# HELP recado_request_duration_seconds HTTP requests.
# TYPE recado_request_duration_seconds histogram
recado_request_duration_seconds_bucket{operation="sendMessage",status="201",le="0.01"} 90
recado_request_duration_seconds_bucket{operation="sendMessage",status="201",le="0.025"} 100
recado_request_duration_seconds_bucket{operation="sendMessage",status="201",le="+Inf"} 100
recado_request_duration_seconds_count{operation="sendMessage",status="201"} 100
recado_request_duration_seconds_count{operation="sendMessage",status="429"} 3
recado_request_duration_seconds_count{operation="listDeals",status="200"} 7
recado_send_duration_seconds_count{provider="cloud",outcome="accepted"} 80
recado_send_duration_seconds_count{provider="cloud",outcome="refused"} 2
recado_delivery_attempt_duration_seconds_count{outcome="2xx"} 60
recado_mailbox_depth 4
recado_agenda_oldest_seconds{agenda="sends"} 2.5
recado_agenda_oldest_seconds{agenda="deliveries"} 1
`;
const reading = readingOf({ text: TEXT });

test('a reading holds what was accepted, sent, delivered and refused', () => {
  const { accepted, sent, delivered, refused, backlog, oldestDueSeconds } = reading;
  assert.deepEqual([accepted, sent, delivered, refused], [100, 80, 60, 3]);
  assert.deepEqual([backlog, oldestDueSeconds], [4, 2.5]);
});

test('between two readings only the difference has happened', () => {
  const later = readingOf({ text: TEXT.replaceAll('100', '150') });
  const happened = happenedBetween(reading, later);
  assert.deepEqual([happened.accepted, happened.sent], [50, 0]);
  assert.equal(happened.durations.get(0.025), 50);
  assert.equal(happened.durations.get(0.01), 0);
});

test('a process that began anew counts from zero', () => {
  const anew = readingOf({ text: TEXT.replaceAll('100', '40').replaceAll('90', '40') });
  assert.equal(happenedBetween(reading, anew).accepted, 40);
  assert.equal(happenedBetween(reading, anew).durations.get(0.01), 40);
});

test('quantiles are interpolated in their bucket, and none without calls', () => {
  assert.equal(quantile(reading.durations, 0.45), 0.005);
  assert.equal(quantile(reading.durations, 0.95), 0.0175);
  assert.equal(quantile(new Map([[Number.POSITIVE_INFINITY, 5]]), 0.5), 0);
  assert.equal(quantile(NOTHING.durations, 0.5), null);
  const twice = together(
    happenedBetween(readingOf({ text: '' }), reading),
    happenedBetween(readingOf({ text: '' }), reading),
  );
  assert.equal(twice.accepted, 200);
  assert.equal(quantile(twice.durations, 0.45), 0.005);
});
