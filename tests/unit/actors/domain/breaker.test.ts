/** Circuit breaker of a subscription: opening, probes, closing, and disabling (D37). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AttemptResult,
  type Breaker,
  type BreakerDecision,
  DISABLE_AFTER_MS,
  decideAdmission,
  INTERVAL_MS,
  newBreaker,
  PROBE_FIRST_MS,
  PROBE_MAX_MS,
  recordResult,
  WINDOW_MS,
} from '../../../../actors/domain/breaker.ts';
import { pluck } from '../../../support/pluck.ts';
import { withRuns } from '../../../support/property.ts';

type Told = Partial<AttemptResult> & Pick<AttemptResult, 'result'>;

/** Records results one after the other, by default of different deliveries at one moment. */
function after(results: readonly Told[], from: Breaker = newBreaker()): BreakerDecision {
  let decision: BreakerDecision = { breaker: from, change: null, disable: false };
  results.forEach((told, index) => {
    const attempt = { deliveryId: `d${index}`, probe: false, now: 1_000, ...told };
    decision = recordResult(decision.breaker, attempt);
  });
  return decision;
}

const times = (count: number, told: Told): Told[] => Array.from({ length: count }, () => told);
const opened = (): Breaker => after(times(10, { result: 'failed' })).breaker;

test('the breaker opens at 10 attempts of which 70 % failed, not at 9 and not below', () => {
  const rows = [
    [0, 9, null],
    [0, 10, 'opened'],
    [3, 6, null],
    [3, 7, 'opened'],
    [4, 9, null],
    [11, 25, null],
    [11, 26, 'opened'],
  ] as const;
  for (const [succeeded, failed, change] of rows) {
    const decided = after([
      ...times(succeeded, { result: 'succeeded' }),
      ...times(failed, { result: 'failed' }),
    ]);
    assert.equal(decided.change, change, `${succeeded} succeeded, ${failed} failed`);
    assert.equal(decided.breaker.open !== null, change === 'opened');
  }
});

test('attempts older than 5 minutes do not count', () => {
  const old = times(9, { result: 'failed', now: 0 });
  const inTime = { result: 'failed', now: WINDOW_MS - 1 } as const;
  const late = { result: 'failed', now: WINDOW_MS + INTERVAL_MS } as const;
  assert.equal(after([...old, inTime]).change, 'opened');
  assert.equal(after([...old, late]).change, null);
});

test('the breaker opens at 5 time-outs in a row; anything between breaks the row', () => {
  const four = times(4, { result: 'timed_out' });
  assert.equal(after([...four, { result: 'timed_out' }]).change, 'opened');
  assert.equal(after([...four, { result: 'failed' }, { result: 'timed_out' }]).change, null);
  assert.equal(after([...four, { result: 'succeeded' }, { result: 'timed_out' }]).change, null);
});

test('one delivery alone never opens the breaker', () => {
  const alone = (result: 'failed' | 'timed_out') => times(30, { result, deliveryId: 'same' });
  assert.equal(after(alone('timed_out')).breaker.open, null);
  assert.equal(after(alone('failed')).breaker.open, null);
});

test('an open breaker probes after 30 s, then after twice the wait, up to 10 minutes', () => {
  let breaker = opened();
  let now = 1_000;
  let waitMs = PROBE_FIRST_MS;
  for (let probes = 0; probes < 8; probes += 1) {
    const early = decideAdmission(breaker, now + waitMs - 1);
    assert.deepEqual(early, { admit: 'none', until: now + waitMs });
    now += waitMs;
    const probe = decideAdmission(breaker, now);
    assert.ok(probe.admit === 'probe');
    assert.equal(decideAdmission(probe.breaker, now).admit, 'none');
    breaker = after([{ result: 'failed', probe: true, now }], probe.breaker).breaker;
    waitMs = Math.min(2 * waitMs, PROBE_MAX_MS);
  }
  assert.equal(waitMs, PROBE_MAX_MS);
});

test('a success closes the breaker, whichever attempt it was, and forgets what was', () => {
  for (const probe of [true, false]) {
    const closed = after([{ result: 'succeeded', probe }], opened());
    assert.equal(closed.change, 'closed');
    assert.deepEqual(closed.breaker, newBreaker());
    assert.equal(decideAdmission(closed.breaker, 0).admit, 'attempt');
  }
});

test('five days of failures without one success ask for disabling; silence does not', () => {
  const first = { result: 'failed', now: 1_000 } as const;
  const at = (now: number) => ({ result: 'failed', now: now + 1_000 }) as const;
  assert.equal(after([first, at(DISABLE_AFTER_MS - 1)]).disable, false);
  assert.equal(after([first, at(DISABLE_AFTER_MS)]).disable, true);
  const healed = [first, { result: 'succeeded', now: 2_000 }] as const;
  assert.equal(after(healed).breaker.failingSince, null);
  assert.equal(after(healed).disable, false);
  assert.equal(after([...healed, at(DISABLE_AFTER_MS)]).disable, false);
  assert.equal(after([{ ...first, result: 'succeeded' }, at(DISABLE_AFTER_MS)]).disable, false);
});

test('the state of a breaker is bounded, plain JSON, and open exactly from an opening to a success', () => {
  const resultArb = fc.record({
    result: fc.constantFrom('succeeded', 'failed', 'timed_out'),
    deliveryId: fc.constantFrom('a', 'b', 'c', 'd'),
    probe: fc.boolean(),
    stepMs: fc.nat(40_000),
  });
  withRuns(1000)([fc.array(resultArb, { maxLength: 200 })], (results) => {
    let breaker = newBreaker();
    let now = 0;
    for (const { stepMs, ...told } of results) {
      now += stepMs;
      const wasOpen = breaker.open !== null;
      const decision = recordResult(breaker, { ...told, now });
      breaker = decision.breaker;
      const stays = wasOpen && decision.change === null;
      assert.equal(breaker.open !== null, decision.change === 'opened' || stays);
      if (told.result === 'succeeded') assert.equal(breaker.open, null);
      assert.ok(breaker.tallies.length <= WINDOW_MS / INTERVAL_MS + 1);
      for (const counts of breaker.tallies) assert.ok(counts.failing.length <= 2);
      assert.deepEqual(JSON.parse(JSON.stringify(breaker)), breaker);
    }
  });
});

test('the breaker’s rules are those of the decisions: 10 of 5 minutes, 30 s to 10 min, five days', () => {
  assert.deepEqual([WINDOW_MS, INTERVAL_MS], [300_000, 10_000]);
  assert.deepEqual([PROBE_FIRST_MS, PROBE_MAX_MS], [30_000, 600_000]);
  assert.equal(DISABLE_AFTER_MS, 432_000_000);
});

test('what the breaker remembers: one tally for each 10 s, two deliveries in each', () => {
  const failed = (deliveryId: string, now: number): Told => ({ result: 'failed', deliveryId, now });
  const { breaker } = after([
    failed('a', 20_001),
    failed('a', 20_002),
    failed('b', 29_999),
    failed('c', 29_999),
    { result: 'succeeded', deliveryId: 'd', now: 30_000 },
    failed('e', 45_000),
  ]);
  assert.deepEqual(breaker, {
    tallies: [
      { at: 20_000, made: 4, failed: 4, failing: ['a', 'b'] },
      { at: 30_000, made: 1, failed: 0, failing: [] },
      { at: 40_000, made: 1, failed: 1, failing: ['e'] },
    ],
    timeouts: { inRow: 0, failing: [] },
    open: null,
    failingSince: 45_000,
  });
  const grown = after([failed('g', 49_999)], breaker).breaker.tallies;
  assert.deepEqual(pluck(grown, 'at'), [20_000, 30_000, 40_000]);
  assert.deepEqual(pluck(grown, 'made'), [4, 1, 2]);
  const late = after([failed('f', 320_000)], breaker).breaker.tallies;
  assert.deepEqual(pluck(late, 'at'), [30_000, 40_000, 320_000]);
});

test('time-outs in a row are counted, with two deliveries of them', () => {
  const late = (deliveryId: string): Told => ({ result: 'timed_out', deliveryId });
  const { timeouts } = after([late('a'), late('a'), late('b'), late('c')]).breaker;
  assert.deepEqual(timeouts, { inRow: 4, failing: ['a', 'b'] });
});

test('an opening says since when, when it probes, and how long it waits after', () => {
  const { breaker, change } = after(times(10, { result: 'failed', now: 7_000 }));
  assert.equal(change, 'opened');
  assert.deepEqual(breaker.open, { since: 7_000, probeAt: 37_000, waitMs: 30_000 });
  assert.deepEqual(decideAdmission(breaker, 36_999), { admit: 'none', until: 37_000 });
  const probe = decideAdmission(breaker, 37_000);
  assert.ok(probe.admit === 'probe');
  assert.deepEqual(probe.breaker.open, { since: 7_000, probeAt: 67_000, waitMs: 30_000 });
  const failed = after([{ result: 'failed', probe: true, now: 38_000 }], probe.breaker);
  assert.deepEqual(failed.breaker.open, { since: 7_000, probeAt: 98_000, waitMs: 60_000 });
  assert.equal(failed.change, null);
  const late = after([{ result: 'failed', now: 39_000 }], failed.breaker);
  assert.deepEqual([late.breaker.open, late.change], [failed.breaker.open, null], 'no probe');
  const closed = after([{ result: 'succeeded', now: 99_000 }], failed.breaker);
  assert.deepEqual(closed, { breaker: newBreaker(), change: 'closed', disable: false });
});
