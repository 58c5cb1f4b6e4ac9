/** Rate limits: fixed windows of calls (C8), and token buckets of sends and guesses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decideRateLimit,
  fullBucket,
  type RateLimitDecision,
  type RateLimitInput,
  type RateWindow,
  refill,
  spend,
  type TokenBucket,
  type TokenBucketRule,
  waitMs,
} from '../../../../actors/domain/rate-limits.ts';
import { RATE_WINDOW_MS } from '../../../../shared/limits.ts';
import { withRuns } from '../../../support/property.ts';

const NOW = 1_000_000_000;
const room = (over: Partial<RateLimitInput>): RateLimitInput => ({
  key: undefined,
  org: undefined,
  keyLimit: 3,
  orgLimit: 5,
  ...over,
});

test('section 8: a rate window opens with the first call and says what is left', () => {
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

test('a call that is not counted by the rate limit is admitted by full windows, and fills none', () => {
  const full = { key: { openedAt: NOW, calls: 3 }, org: { openedAt: NOW, calls: 5 } };
  for (const windows of [full, {}]) {
    const decision = decideRateLimit(room({ ...windows, isCounted: false }), NOW);
    assert.equal(decision.admitted, true);
    assert.deepEqual([decision.key.calls, decision.org.calls], 'key' in windows ? [3, 5] : [0, 0]);
    assert.equal(decision.rates.key.remaining, 3 - decision.key.calls);
  }
});

const forAll = withRuns(2_000);
const KEYS = ['a', 'b', 'c'] as const;

interface Call {
  readonly key: string;
  /** Milliseconds after the call before. */
  readonly after: number;
}

const callsArb: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.record({
    key: fc.constantFrom(...KEYS),
    after: fc.oneof(fc.nat(20), fc.nat(90_000), fc.constantFrom(59_999, 60_000, 60_001)),
  }),
  { maxLength: 80, size: 'max' },
);
const limitsArb = fc.record({ keyLimit: fc.integer({ min: 1, max: 6 }), orgLimit: fc.nat(9) });

interface Judged {
  readonly key: string;
  readonly at: number;
  readonly decision: RateLimitDecision;
}

function run(calls: readonly Call[], limits: { keyLimit: number; orgLimit: number }): Judged[] {
  const keys = new Map<string, RateWindow>();
  let org: RateWindow | undefined;
  let at = 1_700_000_000_000;
  return calls.map(({ key, after }) => {
    at += after;
    const decision = decideRateLimit({ key: keys.get(key), org, ...limits }, at);
    keys.set(key, decision.key);
    org = decision.org;
    return { key, at, decision };
  });
}

/** A second, naive telling of the rule: the calls themselves are kept, and counted each time. */
class WindowModel {
  #openedAt = Number.NEGATIVE_INFINITY;
  #admitted: number[] = [];

  room(at: number, limit: number): boolean {
    if (at >= this.#openedAt + RATE_WINDOW_MS) {
      this.#openedAt = at;
      this.#admitted = [];
    }
    return this.#admitted.length < limit;
  }

  count(at: number): void {
    this.#admitted.push(at);
  }
}

test('section 8: fixed windows, exact for each key and for the organization', () => {
  forAll([callsArb, limitsArb], (calls, limits) => {
    const org = new WindowModel();
    const keys = new Map<string, WindowModel>(KEYS.map((key) => [key, new WindowModel()]));
    for (const { key, at, decision } of run(calls, limits)) {
      const own = keys.get(key);
      assert.ok(own);
      const roomOfKey = own.room(at, limits.keyLimit);
      const roomOfOrg = org.room(at, limits.orgLimit);
      assert.equal(decision.admitted, roomOfKey && roomOfOrg);
      if (!decision.admitted) continue;
      own.count(at);
      org.count(at);
    }
  });
});

test('section 8: a caller who waits for Retry-After is let in, if nobody else calls', () => {
  forAll([callsArb, limitsArb], (calls, { keyLimit, orgLimit }) => {
    const limits = { keyLimit, orgLimit: orgLimit + 1 };
    for (const { at, decision } of run(calls, limits)) {
      if (decision.admitted) continue;
      const seconds = decision.retryAfterSeconds ?? 0;
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
      const later = { key: decision.key, org: decision.org, ...limits };
      assert.equal(decideRateLimit(later, at + seconds * 1000).admitted, true);
    }
  });
});

test('what a rate window says to be left is what is left', () => {
  forAll([callsArb, limitsArb], (calls, limits) => {
    for (const { at, decision } of run(calls, limits)) {
      const left = Math.min(decision.rates.key.remaining, decision.rates.org.remaining);
      const next = decideRateLimit({ key: decision.key, org: decision.org, ...limits }, at);
      assert.equal(next.admitted, left > 0);
    }
  });
});

const ruleArb: fc.Arbitrary<TokenBucketRule> = fc.record({
  burst: fc.integer({ min: 1, max: 100 }),
  everyMs: fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.constantFrom(12.5, 1000 / 3)),
});
const gapsArb = fc.array(fc.nat(30_000), { minLength: 1, maxLength: 60 });

/** Sends as often as it may at each moment. */
function sendsAt(rule: TokenBucketRule, gaps: readonly number[]): { at: number; sent: number }[] {
  let at = 0;
  let bucket: TokenBucket = fullBucket(rule, at);
  return gaps.map((gap) => {
    at += gap;
    bucket = refill(bucket, rule, at);
    const sent = Math.floor(bucket.tokens);
    bucket = spend(bucket, sent);
    return { at, sent };
  });
}

test('design, Networks: no stretch of time sees more sends than the burst and the pace allow', () => {
  forAll([ruleArb, gapsArb], (rule, gaps) => {
    const sends = sendsAt(rule, gaps);
    for (let from = 0; from < sends.length; from++) {
      let total = 0;
      for (const { at, sent } of sends.slice(from)) {
        total += sent;
        const elapsedMs = at - (sends[from]?.at ?? 0);
        assert.ok(total <= rule.burst + elapsedMs / rule.everyMs + 1e-6);
      }
    }
  });
});

test('token bucket: a sender who waits as long as told may send, and hardly sooner', () => {
  forAll([ruleArb, fc.nat(60_000)], (rule, later) => {
    const empty = refill(spend(fullBucket(rule, 0), rule.burst), rule, later);
    const wait = waitMs(empty, rule);
    assert.equal(wait > 0, empty.tokens < 1);
    if (wait === 0) return;
    assert.ok(refill(empty, rule, later + wait).tokens >= 1 - 1e-9);
    assert.ok(refill(empty, rule, later + wait - 1).tokens < 1 + 1e-9);
  });
});

test('a token bucket never holds more than its burst, and a clock that went back fills nothing', () => {
  forAll([ruleArb, fc.array(fc.integer({ min: -9_000, max: 90_000 }))], (rule, times) => {
    let bucket = fullBucket(rule, 0);
    for (const at of times) {
      const before = bucket.tokens;
      bucket = refill(bucket, rule, at);
      assert.ok(bucket.tokens <= rule.burst);
      assert.ok(bucket.tokens >= before);
    }
  });
});
