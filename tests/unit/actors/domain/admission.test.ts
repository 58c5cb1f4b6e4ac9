import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideRateLimit, type RateLimitInput } from '../../../../actors/domain/rate-limits.ts';
import { RATE_WINDOW_MS } from '../../../../shared/limits.ts';

const NOW = 1_000_000_000;
const room = (over: Partial<RateLimitInput>): RateLimitInput => ({
  key: undefined,
  org: undefined,
  keyLimit: 3,
  orgLimit: 5,
  ...over,
});

test('section 8: a window opens with the first call and says what is left', () => {
  const decision = decideRateLimit(room({}), NOW);
  assert.equal(decision.admitted, true);
  assert.deepEqual(decision.key, { openedAt: NOW, calls: 1 });
  assert.deepEqual(decision.rates.key, { limit: 3, remaining: 2, resetSeconds: 60 });
  assert.deepEqual(decision.rates.org, { limit: 5, remaining: 4, resetSeconds: 60 });
});

test('section 8: over the limit Retry-After is the whole seconds until the window closes', () => {
  const full = { openedAt: NOW, calls: 3 };
  const at = (ms: number) => decideRateLimit(room({ key: full }), NOW + ms).retryAfterSeconds;
  assert.equal(at(0), 60);
  assert.equal(at(1), 60);
  assert.equal(at(59_000), 1);
  assert.equal(at(59_999), 1);
  assert.equal(decideRateLimit(room({ key: full }), NOW + RATE_WINDOW_MS).admitted, true);
});

test('decisions, Rate window: when both are full, the later of the two closings counts', () => {
  const key = { openedAt: NOW - 50_000, calls: 3 };
  const org = { openedAt: NOW - 10_000, calls: 5 };
  assert.equal(decideRateLimit(room({ key, org }), NOW).retryAfterSeconds, 50);
});

test('decisions, Rate window: a refused call counts against neither', () => {
  const org = { openedAt: NOW, calls: 5 };
  const decision = decideRateLimit(room({ key: { openedAt: NOW, calls: 1 }, org }), NOW + 5);
  assert.equal(decision.admitted, false);
  assert.equal(decision.key.calls, 1);
  assert.equal(decision.org.calls, 5);
});

test('calls count that an owner let in whose clock was ahead', () => {
  const full = { openedAt: NOW + 2_000, calls: 3 };
  const decision = decideRateLimit(room({ key: full }), NOW);
  assert.equal(decision.admitted, false);
  assert.equal(decideRateLimit(room({ key: decision.key }), NOW + 60_000).admitted, true);
});

test('a clock that went back does not keep a window open for longer than its length', () => {
  const key = { openedAt: NOW + 3_600_000, calls: 3 };
  assert.equal(decideRateLimit(room({ key }), NOW).admitted, true);
});

test('section 8: only a window that is full is waited for, and only a refusal says how long', () => {
  const key = { openedAt: NOW, calls: 1 };
  const wait = (openedAt: number) =>
    decideRateLimit(room({ key, org: { openedAt, calls: 5 } }), NOW).retryAfterSeconds;
  assert.equal(wait(NOW - 50_000), 10);
  assert.equal(wait(NOW - 59_500), 1);
  const org = { openedAt: NOW, calls: 1 };
  const full = { openedAt: NOW - 59_500, calls: 3 };
  assert.equal(decideRateLimit(room({ key: full, org }), NOW).retryAfterSeconds, 1);
  assert.ok(!('retryAfterSeconds' in decideRateLimit(room({ key }), NOW)));
});

test('a call that is not counted is admitted by full windows, and fills none', () => {
  const full = { key: { openedAt: NOW, calls: 3 }, org: { openedAt: NOW, calls: 5 } };
  for (const windows of [full, {}]) {
    const decision = decideRateLimit(room({ ...windows, isCounted: false }), NOW);
    assert.equal(decision.admitted, true);
    assert.deepEqual([decision.key.calls, decision.org.calls], 'key' in windows ? [3, 5] : [0, 0]);
    assert.equal(decision.rates.key.remaining, 3 - decision.key.calls);
  }
});
