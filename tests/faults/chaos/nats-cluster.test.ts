/**
 * A short run of `npm run chaos -- --nats-cluster`: three servers with TLS and users by role, killed
 * and paused, their routes cut, one of them left alone. Calls ride over it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawSchedule } from './program/schedule.ts';
import { LEAST_OF_WORK, QUIET_MS, testShortRun } from './short-run.ts';

const SEED = 12;
const FAULTS_MS = 30_000;
const PACE = 5;
const ONLY = [
  'kill:nats',
  'stop:nats',
  'cut:nats-route',
  'stall:nats-route',
  'cut:nats',
  'kill:actors',
];

const ROUTES = ['nats-1+nats-2', 'nats-1+nats-3', 'nats-2+nats-3'].map(
  (name) => `${name}:nats-route`,
);

test('a server is left alone by cutting its routes, and the others’ route stays', () => {
  const named = { processes: [], links: ROUTES, only: ['cut'] };
  const drawn = drawSchedule({ seed: SEED, lengthMs: 3_600_000, hasSet: false, ...named });
  const cut = new Set(drawn.map(({ targets }) => targets.length));
  assert.deepEqual([...cut].sort(), [2, 3]);
  for (const { targets } of drawn.filter((fault) => fault.targets.length === 2)) {
    const [one = '', other = ''] = targets.map((link) => link.split(':')[0]);
    assert.ok(
      one.split('+').some((server) => other.split('+').includes(server)),
      targets.join(),
    );
  }
});

testShortRun(
  'a NATS cluster that fails loses, doubles and reorders nothing',
  {
    ...{ seed: SEED, quietMs: QUIET_MS, faultsMs: FAULTS_MS, healedMs: 3_000 },
    ...{ only: ONLY, pace: PACE, natsCluster: true },
  },
  LEAST_OF_WORK,
);
