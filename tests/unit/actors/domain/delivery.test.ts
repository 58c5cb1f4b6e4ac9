import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeliveryState, OutcomeDecision } from '../../../../actors/domain/delivery.ts';
import {
  ATTEMPTS_KEPT,
  decideAttempt,
  decideInterrupted,
  decideManualRetry,
  decideOutcome,
  newClaimed,
  newDelivery,
  nextWaitMs,
  park,
  releaseClaim,
  unpark,
} from '../../../../actors/domain/delivery.ts';
import type { PostOutcome } from '../../../../shared/ports/outbound.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const SCHEDULE = [10 * SECOND, 60 * SECOND, 300 * SECOND, 1800 * SECOND, 2 * HOUR, 8 * HOUR];
const RUNS = { numRuns: 1000 };

const answered = (status: number, retryAfterMs?: number): PostOutcome => ({
  ok: true,
  status,
  body: 'x',
  ms: 5,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const timedOut: PostOutcome = { ok: false, kind: 'timeout', error: 'late', ms: 10_000 };
const blocked: PostOutcome = { ok: false, kind: 'blocked_address', error: '10.0.0.1', ms: 0 };

const unitArb = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failureArb = fc.oneof(
  fc.constantFrom(timedOut, blocked),
  fc.constantFrom(301, 400, 404, 429, 500, 503).map((status) => answered(status)),
  fc.nat(20 * HOUR).map((retryAfterMs) => answered(503, retryAfterMs)),
);

function claimed(delivery: DeliveryState, now: number, unit = 0.5): DeliveryState {
  const decision = decideAttempt(delivery, { now, schedule: SCHEDULE, unit });
  assert.equal(decision.decision, 'attempt');
  return decision.decision === 'attempt' ? decision.delivery : delivery;
}

function attempted(
  delivery: DeliveryState,
  outcome: PostOutcome,
  { now = delivery.nextAttemptAt ?? 0, unit = 0.5 } = {},
): OutcomeDecision {
  const context = { now: now + outcome.ms, schedule: SCHEDULE, unit };
  return decideOutcome(claimed(delivery, now, unit), outcome, context);
}

/** A delivery whose 7 attempts have failed. */
function exhausted(): DeliveryState {
  let delivery = newDelivery(0);
  for (let made = 0; made < 7; made += 1) delivery = attempted(delivery, timedOut).delivery;
  assert.equal(delivery.status, 'failed');
  return delivery;
}

test('a failed delivery is retried 6 times and no more (contract section 6.3)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(failureArb, unitArb), { minLength: 9, maxLength: 9 }),
      (failures) => {
        let delivery = newDelivery(0);
        let made = 0;
        for (const [outcome, unit] of failures) {
          if (delivery.status !== 'pending') break;
          delivery = attempted(delivery, outcome, {
            unit,
            now: delivery.nextAttemptAt ?? 0,
          }).delivery;
          made += 1;
        }
        assert.equal(made, 7);
        assert.equal(delivery.status, 'failed');
        assert.equal(delivery.nextAttemptAt, null);
      },
    ),
    RUNS,
  );
});

test('waits never shrink, whatever chance and Retry-After (decisions: Deliveries)', () => {
  const scheduleArb = fc.array(fc.integer({ min: 1, max: 8 * HOUR }), {
    minLength: 6,
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      fc.constantFrom(null, SCHEDULE).chain((fixed) => (fixed ? fc.constant(fixed) : scheduleArb)),
      fc.array(fc.tuple(failureArb, unitArb), { minLength: 6, maxLength: 6 }),
      (schedule, failures) => {
        let delivery = newDelivery(0);
        let previousMs = 0;
        for (const [outcome, unit] of failures) {
          const now = delivery.nextAttemptAt ?? 0;
          const claim = decideAttempt(delivery, { now, schedule, unit });
          assert.ok(claim.decision === 'attempt');
          delivery = decideOutcome(claim.delivery, outcome, { now, schedule, unit }).delivery;
          const waitMs = (delivery.nextAttemptAt ?? 0) - now;
          assert.ok(waitMs >= previousMs, `${waitMs} after ${previousMs}`);
          previousMs = waitMs;
        }
      },
    ),
    RUNS,
  );
});

test('a wait is within 10 % of the schedule, and Retry-After stays within its step', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      unitArb,
      fc.nat(20 * HOUR),
      (attempt, unit, askedMs) => {
        const baseMs = SCHEDULE[attempt - 1] ?? 0;
        const plain = nextWaitMs(SCHEDULE, attempt, { previousWaitMs: 0, unit }) ?? 0;
        assert.ok(plain >= 0.9 * baseMs - 1 && plain <= 1.1 * baseMs + 1);
        const asked = { previousWaitMs: 0, unit, retryAfterMs: askedMs };
        const waitMs = nextWaitMs(SCHEDULE, attempt, asked) ?? 0;
        assert.ok(waitMs >= plain && waitMs <= 2 * baseMs);
        assert.ok(waitMs <= Math.max(plain, SCHEDULE[attempt] ?? 2 * baseMs));
        if (askedMs <= 2 * baseMs && attempt !== 6) assert.ok(waitMs >= Math.min(askedMs, baseMs));
      },
    ),
    RUNS,
  );
  assert.equal(nextWaitMs(SCHEDULE, 7, { previousWaitMs: 0, unit: 0.5 }), null);
});

test('a 2xx ends the delivery, at whichever attempt it comes', () => {
  fc.assert(
    fc.property(
      fc.array(failureArb, { maxLength: 6 }),
      fc.integer({ min: 200, max: 299 }),
      (failures, status) => {
        let delivery = newDelivery(0);
        for (const outcome of failures) delivery = attempted(delivery, outcome).delivery;
        const decision = attempted(delivery, answered(status));
        assert.equal(decision.decision, 'succeeded');
        const over = decideAttempt(decision.delivery, { now: 1e12, schedule: SCHEDULE, unit: 0 });
        assert.equal(over.decision, 'idle');
        assert.equal(decideManualRetry(decision.delivery, 1e12), null);
      },
    ),
    RUNS,
  );
});

test('a redirect, a blocked address and a 4xx are failures like any other', () => {
  for (const outcome of [answered(302), blocked, answered(404), timedOut]) {
    assert.equal(attempted(newDelivery(0), outcome).decision, 'retry');
  }
});

test('a 410 ends the delivery and asks for the subscription to be disabled', () => {
  const decision = attempted(newDelivery(0), answered(410));
  assert.equal(decision.decision, 'gone');
  assert.equal(decision.delivery.status, 'failed');
});

test('an attempt is counted before it is made, and not claimed twice', () => {
  const delivery = claimed(newDelivery(0), 0);
  assert.equal(delivery.counted, 1);
  const again = decideAttempt(delivery, { now: 1e12, schedule: SCHEDULE, unit: 0.5 });
  assert.equal(again.decision, 'under_way');
  const early = decideAttempt(newDelivery(50), { now: 49, schedule: SCHEDULE, unit: 0.5 });
  assert.deepEqual(early, { decision: 'wait', at: 50 });
});

test('one that its insert claims is as one that was claimed as soon as it was recorded', () => {
  fc.assert(
    fc.property(fc.nat(1e12), unitArb, fc.nat(1e6), (now, unit, laterMs) => {
      const born = newClaimed({ now, schedule: SCHEDULE, unit });
      assert.deepEqual(born, claimed(newDelivery(now), now, unit));
      assert.deepEqual([born.counted, born.underWay], [1, { at: now, byHand: false }]);
      assert.ok((born.nextAttemptAt ?? 0) > now, 'it is found again after a crash');
      const again = decideAttempt(born, { now: now + laterMs, schedule: SCHEDULE, unit });
      assert.equal(again.decision, 'under_way');
      assert.deepEqual(releaseClaim(born, newDelivery(now)), newDelivery(now));
    }),
    RUNS,
  );
});

test('crashes spend attempts but never make an eighth, and the delivery stays due', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (crashes) => {
      let delivery = newDelivery(0);
      let claims = 0;
      let previousAt = Number.NEGATIVE_INFINITY;
      let previousWait = 0;
      for (const crash of crashes) {
        if (delivery.status !== 'pending') break;
        const now = delivery.nextAttemptAt ?? Number.NaN;
        const wait = now - previousAt;
        if (claims > 1) assert.ok(wait >= previousWait);
        if (claims > 0) previousWait = wait;
        previousAt = now;
        delivery = claimed(delivery, now);
        claims += 1;
        assert.ok(delivery.nextAttemptAt !== null);
        const decision = crash
          ? decideInterrupted(delivery, now)
          : decideOutcome(delivery, answered(500), { now, schedule: SCHEDULE, unit: 0.5 });
        delivery = decision?.delivery ?? delivery;
      }
      assert.equal(claims, 7);
      assert.equal(delivery.status, 'failed');
      assert.equal(delivery.attempts.length, 7);
    }),
    RUNS,
  );
});

test('a retry by hand makes one attempt beyond the 7 and reschedules nothing', () => {
  const asked = decideManualRetry(exhausted(), 5_000);
  assert.ok(asked);
  const decision = attempted(asked, answered(500), { now: 5_000 });
  assert.equal(decision.decision, 'failed');
  assert.equal(decision.delivery.attempts.length, 8);
  const better = decideManualRetry(decision.delivery, 9_000);
  assert.ok(better);
  assert.equal(attempted(better, answered(204), { now: 9_000 }).decision, 'succeeded');
});

test('a retry by hand that fails leaves a pending delivery as it was', () => {
  const pending = attempted(newDelivery(0), timedOut).delivery;
  const asked = decideManualRetry(pending, 11_000);
  assert.ok(asked);
  const decision = attempted(asked, timedOut, { now: 11_000 });
  assert.equal(decision.decision, 'retry');
  assert.equal(decision.delivery.counted, 1);
  assert.equal(decision.delivery.nextAttemptAt, Math.max(pending.nextAttemptAt ?? 0, 21_000));
});

test('a retry by hand of a parked delivery is made, and parks it again when it fails', () => {
  const asked = decideManualRetry(park(newDelivery(0)), 1_000);
  assert.ok(asked);
  assert.equal(asked.status, 'pending');
  const decision = attempted(asked, answered(500), { now: 1_000 });
  assert.equal(decision.decision, 'parked');
  assert.equal(unpark(decision.delivery, 2_000).nextAttemptAt, 2_000);
});

test('a retry by hand asked for while an attempt is under way follows it', () => {
  const asked = decideManualRetry(claimed(newDelivery(0), 0), 1);
  assert.ok(asked);
  const after = decideOutcome(asked, timedOut, { now: 10_000, schedule: SCHEDULE, unit: 0.5 });
  assert.equal(after.decision, 'retry');
  assert.equal(after.delivery.nextAttemptAt, 10_000);
  const byHand = attempted(after.delivery, answered(500), { now: 10_000 });
  assert.equal(byHand.delivery.nextAttemptAt, 20_000);
  assert.equal(byHand.delivery.counted, 1);
});

test('a retry by hand that a crash interrupts is spent', () => {
  const asked = decideManualRetry(exhausted(), 5_000);
  assert.ok(asked);
  const settled = decideInterrupted(claimed(asked, 5_000), 6_000);
  assert.equal(settled?.decision, 'failed');
  assert.equal(decideInterrupted(newDelivery(0), 0), null);
});

test('parking spends nothing, and an unparked delivery is due no sooner than before', () => {
  const waiting = attempted(newDelivery(0), timedOut).delivery;
  const parked = park(waiting);
  const idle = decideAttempt(parked, { now: 1e12, schedule: SCHEDULE, unit: 0.5 });
  assert.equal(idle.decision, 'idle');
  assert.deepEqual(unpark(parked, 0), waiting);
  assert.equal(unpark(parked, 1e12).nextAttemptAt, 1e12);
  assert.equal(unpark(parked, 1e12).counted, 1);
});

test('the document is bounded, however often a retry is asked for by hand', () => {
  let delivery = exhausted();
  for (let made = 0; made < 50; made += 1) {
    const asked = decideManualRetry(delivery, 0);
    assert.ok(asked);
    delivery = attempted(asked, timedOut, { now: 0 }).delivery;
  }
  assert.equal(delivery.attempts.length, ATTEMPTS_KEPT);
});

test('an attempt is listed with its time, status, length and error', () => {
  const { delivery } = attempted(newDelivery(7), answered(500));
  assert.deepEqual(delivery.attempts, [
    { at: 7, status: 500, ms: 5, error: 'status 500', response: 'x' },
  ]);
  const late = attempted(newDelivery(7), timedOut).delivery;
  assert.deepEqual(late.attempts, [{ at: 7, status: null, ms: 10_000, error: 'timeout: late' }]);
});
