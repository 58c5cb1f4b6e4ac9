/** What `recado top` tells of two readings (D360). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { snapshotOf } from '../../../../../../infra/programs/cli/top/snapshot.ts';
import { forAll } from '../../../../../support/property.ts';
import { processOf, readingOf, reportOf } from './reading-fixture.ts';

const NONE = new Map<string, string>();
const counts = fc.record({ calls: fc.nat(10_000), turns: fc.nat(10_000) });

test('rates and quantiles are those of the interval, over all processes', () => {
  const before = readingOf(0, {
    read: [
      processOf('gateway-1', { calls: 100, turns: 0 }),
      processOf('gateway-2', { calls: 0, turns: 0 }),
    ],
  });
  const now = readingOf(2, {
    read: [
      processOf('gateway-1', { calls: 300, turns: 0 }),
      processOf('gateway-2', { calls: 100, turns: 0 }),
    ],
  });
  const { seconds, requests, rates, latencies, processes, backlog } = snapshotOf(before, now, NONE);
  assert.equal(seconds, 2);
  assert.deepEqual(requests, { '2xx': 150, '4xx': 0, '5xx': 15, left: 0, shed: 15 });
  assert.equal(rates.accepted, 150);
  assert.deepEqual(latencies.requests, { p50: 7.5, p99: 9.95 });
  assert.deepEqual(latencies.commits, { p50: null, p99: null });
  assert.deepEqual(processes[0], {
    ...{ role: 'gateway', id: 'gateway-1', pid: 41, cpuPercent: 100, memoryBytes: 104_857_600 },
    ...{ loopDelayP99: 12, requests: 110, turns: 0, sharePercent: 12.5, depth: 3 },
  });
  assert.deepEqual(backlog, [
    { agenda: 'sends', waiting: 1_000, more: true, oldestDueSeconds: 400 },
  ]);
});

test('a process that began anew, or was not there before, makes no rate negative', () => {
  forAll([counts, counts, counts], (first, second, newcomer) => {
    const before = readingOf(0, { read: [processOf('actors-1', first)] });
    const read = [processOf('actors-1', second), processOf('actors-2', newcomer)];
    const { requests, rates, processes } = snapshotOf(before, readingOf(1, { read }), NONE);
    const values = [...Object.values(requests), ...Object.values(rates)];
    assert.ok(values.every((value) => value >= 0));
    const beganAnew = second.calls < first.calls || second.turns < first.turns;
    assert.equal(rates.accepted, beganAnew ? second.calls : second.calls - first.calls);
    assert.deepEqual([processes[1]?.turns, processes[1]?.cpuPercent], [null, null]);
  });
});

test('an organization has the sum of its turns in all processes, and its ref', () => {
  const reports = [
    reportOf('actors-1', { org_a: 5, org_b: 6 }),
    reportOf('actors-2', { org_a: 4 }),
  ];
  const refs = new Map([['org_a', 'loja']]);
  const { organizations, partitions, url } = snapshotOf(null, readingOf(0, { reports }), refs);
  assert.deepEqual(organizations, [
    { id: 'org_a', ref: 'loja', turns: 9, busy: 0.09 },
    { id: 'org_b', ref: null, turns: 6, busy: 0.06 },
  ]);
  assert.equal(partitions[0]?.process, 'actors-1');
  assert.equal(url, 'http://127.0.0.1:8080');
});
