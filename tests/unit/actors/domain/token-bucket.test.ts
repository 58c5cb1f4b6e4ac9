import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fullBucket,
  refill,
  spend,
  type TokenBucket,
  type TokenBucketRule,
  waitMs,
} from '../../../../actors/domain/rate-limits.ts';

const RUNS = { numRuns: 3_000 };
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

test('design, Networks: no stretch of time sees more than the burst and what the pace allows', () => {
  fc.assert(
    fc.property(ruleArb, gapsArb, (rule, gaps) => {
      const sends = sendsAt(rule, gaps);
      for (let from = 0; from < sends.length; from++) {
        let total = 0;
        for (const { at, sent } of sends.slice(from)) {
          total += sent;
          const elapsedMs = at - (sends[from]?.at ?? 0);
          assert.ok(total <= rule.burst + elapsedMs / rule.everyMs + 1e-6);
        }
      }
    }),
    RUNS,
  );
});

test('who waits as long as he is told may send, and hardly sooner', () => {
  fc.assert(
    fc.property(ruleArb, fc.nat(60_000), (rule, later) => {
      const empty = refill(spend(fullBucket(rule, 0), rule.burst), rule, later);
      const wait = waitMs(empty, rule);
      assert.equal(wait > 0, empty.tokens < 1);
      if (wait === 0) return;
      assert.ok(refill(empty, rule, later + wait).tokens >= 1 - 1e-9);
      assert.ok(refill(empty, rule, later + wait - 1).tokens < 1 + 1e-9);
    }),
    RUNS,
  );
});

test('a bucket never holds more than its burst, and a clock that went back fills nothing', () => {
  fc.assert(
    fc.property(ruleArb, fc.array(fc.integer({ min: -9_000, max: 90_000 })), (rule, times) => {
      let bucket = fullBucket(rule, 0);
      for (const at of times) {
        const before = bucket.tokens;
        bucket = refill(bucket, rule, at);
        assert.ok(bucket.tokens <= rule.burst);
        assert.ok(bucket.tokens >= before);
      }
    }),
    RUNS,
  );
});
