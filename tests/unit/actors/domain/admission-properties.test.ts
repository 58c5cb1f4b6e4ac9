import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decideRateLimit,
  type RateLimitDecision,
  type RateWindow,
} from '../../../../actors/domain/rate-limits.ts';
import { RATE_WINDOW_MS } from '../../../../shared/limits.ts';

const RUNS = { numRuns: 2_000 };
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
  fc.assert(
    fc.property(callsArb, limitsArb, (calls, limits) => {
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
    }),
    RUNS,
  );
});

test('section 8: who waits for Retry-After is let in, if nobody else calls', () => {
  fc.assert(
    fc.property(callsArb, limitsArb, (calls, { keyLimit, orgLimit }) => {
      const limits = { keyLimit, orgLimit: orgLimit + 1 };
      for (const { at, decision } of run(calls, limits)) {
        if (decision.admitted) continue;
        const seconds = decision.retryAfterSeconds ?? 0;
        assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
        const later = { key: decision.key, org: decision.org, ...limits };
        assert.equal(decideRateLimit(later, at + seconds * 1000).admitted, true);
      }
    }),
    RUNS,
  );
});

test('what is said to be left is what is left', () => {
  fc.assert(
    fc.property(callsArb, limitsArb, (calls, limits) => {
      for (const { at, decision } of run(calls, limits)) {
        const left = Math.min(decision.rates.key.remaining, decision.rates.org.remaining);
        const next = decideRateLimit({ key: decision.key, org: decision.org, ...limits }, at);
        assert.equal(next.admitted, left > 0);
      }
    }),
    RUNS,
  );
});
