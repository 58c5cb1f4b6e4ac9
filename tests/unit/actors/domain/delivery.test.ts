/** One delivery: claims, outcomes, the retry schedule, retries by hand, parking (C6, D37). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type DeliveryState,
  decideAttempt,
  decideInterrupted,
  decideManualRetry,
  decideOutcome,
  isSuccess,
  newClaimed,
  newDelivery,
  nextWaitMs,
  type OutcomeDecision,
  park,
  RECORDED_ATTEMPTS_MAX,
  releaseClaim,
  subscribes,
  undeliverable,
  unpark,
} from '../../../../actors/domain/delivery.ts';
import type { PostOutcome } from '../../../../shared/ports/outbound.ts';
import { withRuns } from '../../../support/property.ts';

const NOW = 1_000_000;
const SCHEDULE = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 28_800_000];
const context = (now = NOW) => ({ now, schedule: SCHEDULE, unit: 0.5 });
const answered = (status: number, more = {}): PostOutcome => ({
  ...{ ok: true, status, body: 'corpo', ms: 5 },
  ...more,
});
const failed: PostOutcome = { ok: false, kind: 'timeout', error: 'late', ms: 7 };
const blocked: PostOutcome = { ok: false, kind: 'blocked_address', error: '10.0.0.1', ms: 0 };

const NEW: DeliveryState = {
  ...{ status: 'pending', counted: 0, attempts: [], underWay: null },
  ...{ nextAttemptAt: NOW, lastWaitMs: 0, byHand: null },
};
const CLAIMED: DeliveryState = {
  ...NEW,
  counted: 1,
  underWay: { at: NOW, byHand: false },
  nextAttemptAt: NOW + 10_000,
};

const HOUR = 3_600_000;
const forAll = withRuns(1000);

const unitArb = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const failureArb = fc.oneof(
  fc.constantFrom(failed, blocked),
  fc.constantFrom(301, 400, 404, 429, 500, 503).map((status) => answered(status)),
  fc.nat(20 * HOUR).map((retryAfterMs) => answered(503, { retryAfterMs })),
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
  for (let made = 0; made < 7; made += 1) delivery = attempted(delivery, failed).delivery;
  assert.equal(delivery.status, 'failed');
  return delivery;
}

test('a new delivery is due at once; one of a disabled subscription is parked', () => {
  assert.deepEqual(newDelivery(NOW), NEW);
  assert.deepEqual(newDelivery(NOW, 'parked'), { ...NEW, status: 'parked', nextAttemptAt: null });
});

test('a claim counts, and stays due after the wait of its attempt', () => {
  assert.deepEqual(decideAttempt(NEW, context()), { decision: 'attempt', delivery: CLAIMED });
  assert.deepEqual(decideAttempt(NEW, context(NOW - 1)), { decision: 'wait', at: NOW });
  assert.deepEqual(decideAttempt(CLAIMED, context(NOW + 99_999)), { decision: 'under_way' });
  const last = decideAttempt({ ...NEW, counted: 6 }, context());
  assert.ok(last.decision === 'attempt');
  assert.equal(last.delivery.nextAttemptAt, NOW + 15_000, 'looked at again after 15 s');
  assert.deepEqual(decideAttempt({ ...NEW, counted: 7 }, context()), { decision: 'idle' });
  for (const status of ['succeeded', 'failed', 'parked'] as const) {
    assert.deepEqual(decideAttempt({ ...NEW, status }, context()), { decision: 'idle' });
  }
  assert.deepEqual(decideAttempt({ ...NEW, nextAttemptAt: null }, context()), { decision: 'idle' });
});

test('an attempt is listed with its time, status, length, error and answer', () => {
  const outcome = (of: PostOutcome) => decideOutcome(CLAIMED, of, context(NOW + 5));
  const ok = outcome(answered(204));
  const attempt = { at: NOW, status: 204, ms: 5, error: null, response: 'corpo' };
  const ended = { ...NEW, counted: 1, nextAttemptAt: null };
  assert.deepEqual(ok, {
    decision: 'succeeded',
    delivery: { ...ended, status: 'succeeded', attempts: [attempt] },
  });
  const refused = { ...attempt, status: 500, error: 'status 500' };
  const retried = { ...NEW, counted: 1, nextAttemptAt: NOW + 10_005, lastWaitMs: 10_000 };
  assert.deepEqual(outcome(answered(500)), {
    ...{ decision: 'retry', at: NOW + 10_005 },
    delivery: { ...retried, attempts: [refused] },
  });
  const late = outcome(failed);
  assert.deepEqual(late.delivery.attempts, [
    { at: NOW, status: null, ms: 7, error: 'timeout: late' },
  ]);
  const gone = outcome(answered(410));
  assert.deepEqual([gone.decision, gone.delivery.status], ['gone', 'failed']);
  assert.equal(gone.delivery.nextAttemptAt, null);
  const unclaimed = decideOutcome(NEW, failed, context(NOW + 50));
  assert.equal(unclaimed.delivery.attempts[0]?.at, NOW + 43, 'when it must have begun');
});

test('a success is any 2xx and nothing else: a redirect and a blocked address are tried again', () => {
  const table = [
    [199, false],
    [200, true],
    [299, true],
    [300, false],
    [404, false],
  ] as const;
  for (const [status, success] of table) assert.equal(isSuccess(answered(status)), success);
  assert.equal(isSuccess(failed), false);
  for (const outcome of [answered(302), answered(404), blocked, failed]) {
    assert.equal(attempted(newDelivery(0), outcome).decision, 'retry');
  }
});

test('retry schedule: the chance, the wait before, and what the subscriber asked for', () => {
  const wait = (attempt: number, more = {}) =>
    nextWaitMs(SCHEDULE, attempt, { previousWaitMs: 0, unit: 0.5, ...more });
  for (const [index, base] of SCHEDULE.entries()) assert.equal(wait(index + 1), base);
  assert.deepEqual([wait(7), nextWaitMs([], 1, { previousWaitMs: 0, unit: 0 })], [null, null]);
  assert.deepEqual([wait(1, { unit: 0 }), wait(1, { unit: 1 })], [9_000, 11_000]);
  assert.equal(wait(1, { previousWaitMs: 12_345 }), 12_345);
  assert.equal(wait(1, { retryAfterMs: 15_000.4 }), 15_000);
  assert.equal(wait(1, { retryAfterMs: 50_000 }), 20_000, 'twice the schedule’s');
  const close = [10_000, 12_000];
  const asked = { previousWaitMs: 0, unit: 0.5, retryAfterMs: 50_000 };
  assert.equal(nextWaitMs(close, 1, asked), 12_000, 'not beyond the next step’s');
  assert.equal(wait(6, { retryAfterMs: 99_000_000 }), 57_600_000);
  const eight = [...SCHEDULE, 1, 1];
  assert.equal(nextWaitMs(eight, 7, { previousWaitMs: 0, unit: 0.5 }), null, 'seven at most');
});

test('an attempt that was interrupted is listed, and its wait counts from its claim', () => {
  const attempts = [{ at: NOW, status: null, ms: 0, error: 'interrupted' }];
  const retried = { ...NEW, counted: 1, attempts, nextAttemptAt: NOW + 10_000, lastWaitMs: 10_000 };
  const settled = decideInterrupted(CLAIMED, NOW + 99);
  assert.deepEqual(settled, { decision: 'retry', at: NOW + 10_000, delivery: retried });
  const last = decideInterrupted({ ...CLAIMED, counted: 7 }, NOW + 99);
  assert.deepEqual([last?.decision, last?.delivery.status], ['failed', 'failed']);
  assert.equal(decideInterrupted({ ...CLAIMED, counted: 6 }, NOW)?.decision, 'retry');
  assert.equal(decideInterrupted({ ...CLAIMED, nextAttemptAt: null }, NOW)?.decision, 'failed');
  assert.equal(decideInterrupted(NEW, NOW), null);
  assert.equal(decideInterrupted({ ...CLAIMED, status: 'succeeded' }, NOW), null);
});

test('a parked delivery waits, and is due no sooner than before once unparked', () => {
  const parked: DeliveryState = { ...NEW, status: 'parked' };
  assert.deepEqual(park(NEW), parked);
  assert.equal(park(parked), parked);
  const done: DeliveryState = { ...NEW, status: 'succeeded' };
  assert.equal(park(done), done);
  assert.deepEqual(unpark(parked, NOW - 5), NEW);
  assert.deepEqual(unpark(parked, NOW + 5), { ...NEW, nextAttemptAt: NOW + 5 });
  assert.deepEqual(unpark({ ...parked, nextAttemptAt: null }, NOW), NEW);
  assert.equal(unpark(NEW, NOW), NEW);
  const outcome = decideOutcome({ ...CLAIMED, status: 'parked' }, failed, context());
  assert.deepEqual([outcome.decision, outcome.delivery.status], ['parked', 'parked']);
});

test('a retry by hand waits beside what the delivery is, and gives it back', () => {
  const asked = { ...NEW, nextAttemptAt: NOW + 500 };
  const byHand = { status: 'pending', nextAttemptAt: NOW + 500 } as const;
  const waiting = decideManualRetry(asked, NOW);
  assert.deepEqual(waiting, { ...NEW, byHand });
  assert.ok(waiting);
  assert.deepEqual(park(waiting).byHand, { ...byHand, status: 'parked' });
  assert.deepEqual(unpark(park(waiting), NOW).byHand, byHand);
  const claim = decideAttempt(waiting, context());
  assert.ok(claim.decision === 'attempt');
  assert.deepEqual(claim.delivery, {
    ...{ ...waiting, underWay: { at: NOW, byHand: true }, nextAttemptAt: NOW + 15_000 },
  });
  assert.equal(decideManualRetry(claim.delivery, NOW), claim.delivery, 'once at a time');
  const back = decideOutcome(claim.delivery, failed, context(NOW + 7));
  assert.deepEqual([back.decision, back.delivery.nextAttemptAt], ['retry', NOW + 500]);
  assert.deepEqual([back.delivery.counted, back.delivery.byHand], [0, null]);
  const overdue = decideOutcome(claim.delivery, failed, context(NOW + 700));
  assert.equal(overdue.delivery.nextAttemptAt, NOW + 700);
  const failedBefore = decideManualRetry({ ...NEW, status: 'failed', nextAttemptAt: null }, NOW);
  assert.deepEqual(failedBefore?.byHand, { status: 'failed', nextAttemptAt: null });
  assert.equal(decideManualRetry({ ...NEW, status: 'succeeded' }, NOW), null);
  const during = decideManualRetry(CLAIMED, NOW + 1);
  assert.equal(during?.nextAttemptAt, NOW + 10_000, 'after the attempt under way');
  assert.ok(during);
  const next = decideOutcome(during, failed, context(NOW + 7));
  assert.deepEqual([next.decision, next.delivery.nextAttemptAt], ['retry', NOW + 7]);
  assert.deepEqual(next.delivery.byHand, { status: 'pending', nextAttemptAt: NOW + 10_007 });
});

test('a delivery without a subscription has failed for good', () => {
  const ended = { ...CLAIMED, status: 'failed', underWay: null, nextAttemptAt: null, byHand: null };
  assert.deepEqual(undeliverable(CLAIMED), ended);
});

test('a delivery keeps its newest 20 attempts', () => {
  const attempt = { status: 500, ms: 1, error: 'x' };
  const attempts = Array.from({ length: RECORDED_ATTEMPTS_MAX }, (_, at) => ({ ...attempt, at }));
  const { delivery } = decideOutcome({ ...CLAIMED, attempts }, failed, context());
  assert.deepEqual([delivery.attempts.length, delivery.attempts[0]?.at], [20, 1]);
});

test('what has succeeded stays so, and a retry by hand that fails reschedules nothing', () => {
  const succeeded: DeliveryState = { ...CLAIMED, status: 'succeeded' };
  const late = decideOutcome(succeeded, failed, context());
  assert.ok(late.decision === 'succeeded' && late.delivery === succeeded);
  const spent: DeliveryState = { ...NEW, status: 'failed', counted: 7, nextAttemptAt: null };
  const asked = decideManualRetry(spent, NOW);
  assert.ok(asked);
  const claim = decideAttempt(asked, context());
  assert.ok(claim.decision === 'attempt');
  assert.deepEqual([claim.delivery.counted, claim.delivery.nextAttemptAt], [7, NOW + 15_000]);
  const early = decideManualRetry({ ...NEW, counted: 2 }, NOW);
  assert.ok(early);
  const second = decideAttempt(early, context());
  assert.ok(second.decision === 'attempt' && second.delivery.nextAttemptAt === NOW + 15_000);
  const back = decideOutcome(claim.delivery, failed, context(NOW + 9)).delivery;
  assert.deepEqual([back.status, back.nextAttemptAt, back.byHand], ['failed', null, null]);
});

test('a failed delivery is retried 6 times and no more (contract section 6.3)', () => {
  forAll([fc.array(fc.tuple(failureArb, unitArb), { minLength: 9, maxLength: 9 })], (failures) => {
    let delivery = newDelivery(0);
    let made = 0;
    for (const [outcome, unit] of failures) {
      if (delivery.status !== 'pending') break;
      delivery = attempted(delivery, outcome, { unit }).delivery;
      made += 1;
    }
    assert.equal(made, 7);
    assert.equal(delivery.status, 'failed');
    assert.equal(delivery.nextAttemptAt, null);
  });
});

test('retry schedule: waits never shrink, whatever chance and Retry-After (decisions: Deliveries)', () => {
  const six = { minLength: 6, maxLength: 6 };
  const scheduleArb = fc.array(fc.integer({ min: 1, max: 8 * HOUR }), six);
  forAll(
    [
      fc.constantFrom(null, SCHEDULE).chain((fixed) => (fixed ? fc.constant(fixed) : scheduleArb)),
      fc.array(fc.tuple(failureArb, unitArb), six),
    ],
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
  );
});

test('retry schedule: a wait is within 10 % of the schedule, and Retry-After stays within its step', () => {
  forAll([fc.integer({ min: 1, max: 6 }), unitArb, fc.nat(20 * HOUR)], (attempt, unit, askedMs) => {
    const baseMs = SCHEDULE[attempt - 1] ?? 0;
    const plain = nextWaitMs(SCHEDULE, attempt, { previousWaitMs: 0, unit }) ?? 0;
    assert.ok(plain >= 0.9 * baseMs - 1 && plain <= 1.1 * baseMs + 1);
    const asked = { previousWaitMs: 0, unit, retryAfterMs: askedMs };
    const waitMs = nextWaitMs(SCHEDULE, attempt, asked) ?? 0;
    assert.ok(waitMs >= plain && waitMs <= 2 * baseMs);
    assert.ok(waitMs <= Math.max(plain, SCHEDULE[attempt] ?? 2 * baseMs));
    if (askedMs <= 2 * baseMs && attempt !== 6) assert.ok(waitMs >= Math.min(askedMs, baseMs));
  });
});

test('a 2xx ends the delivery, at whichever attempt it comes', () => {
  forAll(
    [fc.array(failureArb, { maxLength: 6 }), fc.integer({ min: 200, max: 299 })],
    (failures, status) => {
      let delivery = newDelivery(0);
      for (const outcome of failures) delivery = attempted(delivery, outcome).delivery;
      const decision = attempted(delivery, answered(status));
      assert.equal(decision.decision, 'succeeded');
      const over = decideAttempt(decision.delivery, { now: 1e12, schedule: SCHEDULE, unit: 0 });
      assert.equal(over.decision, 'idle');
      assert.equal(decideManualRetry(decision.delivery, 1e12), null);
    },
  );
});

test('a delivery that its insert claims is as one that was claimed as soon as it was recorded', () => {
  forAll([fc.nat(1e12), unitArb, fc.nat(1e6)], (now, unit, laterMs) => {
    const born = newClaimed({ now, schedule: SCHEDULE, unit });
    assert.deepEqual(born, claimed(newDelivery(now), now, unit));
    assert.deepEqual([born.counted, born.underWay], [1, { at: now, byHand: false }]);
    assert.ok((born.nextAttemptAt ?? 0) > now, 'it is found again after a crash');
    const again = decideAttempt(born, { now: now + laterMs, schedule: SCHEDULE, unit });
    assert.equal(again.decision, 'under_way');
    assert.deepEqual(releaseClaim(born, newDelivery(now)), newDelivery(now));
  });
});

test('crashes spend attempts but never make an eighth, and the delivery stays due', () => {
  forAll([fc.array(fc.boolean(), { minLength: 12, maxLength: 12 })], (crashes) => {
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
  });
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

test('a retry by hand of a parked delivery is made, and parks it again when it fails', () => {
  const asked = decideManualRetry(park(newDelivery(0)), 1_000);
  assert.ok(asked);
  assert.equal(asked.status, 'pending');
  const decision = attempted(asked, answered(500), { now: 1_000 });
  assert.equal(decision.decision, 'parked');
  assert.equal(unpark(decision.delivery, 2_000).nextAttemptAt, 2_000);
});

test('a retry by hand that a crash interrupts is spent', () => {
  const asked = decideManualRetry(exhausted(), 5_000);
  assert.ok(asked);
  const settled = decideInterrupted(claimed(asked, 5_000), 6_000);
  assert.equal(settled?.decision, 'failed');
});

test('a subscription takes * for the contract’s nine events only (decisions: Behaviour)', () => {
  assert.ok(subscribes(['*'], 'deal.won'));
  assert.ok(!subscribes(['*'], 'message.read'));
  assert.ok(subscribes(['message.read', '*'], 'message.read'));
  assert.ok(!subscribes(['deal.won'], 'deal.lost'));
});
