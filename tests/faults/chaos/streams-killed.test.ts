/**
 * kill -9 of gateways, actors, NATS, MongoDB and the consumers of event streams. They are read by
 * `recado listen`, by the client and by `curl`. `npm run chaos -- --streams` is the longer run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killBesideStreams, sentencesOf } from './streams/run.ts';

/** Enough for calls between any two kills. */
const EVENTS = 300;
const ROUNDS = 1;
/** The longer run is for load. */
const PACE = 2.5;

test('streams see all that is recorded, in the order of each entity, through kills', async (t) => {
  const report = await killBesideStreams({
    seed: Date.now() % 1_000_000,
    events: EVENTS,
    rounds: ROUNDS,
    pace: PACE,
    tell: (sentence) => t.diagnostic(sentence),
  });
  for (const sentence of sentencesOf(report)) t.diagnostic(sentence);
  assert.deepEqual(report.violations, []);
  const { consumers } = report;
  assert.ok(
    consumers.every(({ lives }) => lives > ROUNDS),
    'each consumer was killed',
  );
  assert.ok(
    consumers.every(({ recorded }) => recorded > 0),
    'each consumer has heard something',
  );
  assert.ok(consumers.reduce((sum, { repeats }) => sum + repeats, 0) > 0, 'something came again');
});
