/** One delivery step by step, compared as a whole (C6, D37). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type DeliveryState,
  decideAttempt,
  decideInterrupted,
  decideManualRetry,
  decideOutcome,
  isSuccess,
  newDelivery,
  nextWaitMs,
  park,
  undeliverable,
  unpark,
} from '../../../../actors/domain/delivery.ts';
import type { PostOutcome } from '../../../../shared/ports/outbound.ts';

const NOW = 1_000_000;
const SCHEDULE = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 28_800_000];
const context = (now = NOW) => ({ now, schedule: SCHEDULE, unit: 0.5 });
const answered = (status: number, more = {}): PostOutcome => ({
  ...{ ok: true, status, body: 'corpo', ms: 5 },
  ...more,
});
const failed: PostOutcome = { ok: false, kind: 'timeout', error: 'late', ms: 7 };

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

test('an outcome is listed as it was', () => {
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

test('a success is any 2xx and nothing else', () => {
  const table = [
    [199, false],
    [200, true],
    [299, true],
    [300, false],
    [404, false],
  ] as const;
  for (const [status, success] of table) assert.equal(isSuccess(answered(status)), success);
  assert.equal(isSuccess(failed), false);
});

test('waits: the chance, the wait before, and what the subscriber asked for', () => {
  const wait = (attempt: number, more = {}) =>
    nextWaitMs(SCHEDULE, attempt, { previousWaitMs: 0, unit: 0.5, ...more });
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((each) => wait(each)),
    SCHEDULE,
  );
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

test('parking and its end', () => {
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

test('the newest 20 attempts are kept', () => {
  const attempts = Array.from({ length: 20 }, (_, n) => ({
    at: n,
    status: 500,
    ms: 1,
    error: 'x',
  }));
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
