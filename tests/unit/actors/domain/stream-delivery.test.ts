/** One delivery of an event stream: its outcomes, its overflow, and its way back (D255). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeliveryState, newDelivery } from '../../../../actors/domain/delivery.ts';
import {
  acknowledge,
  overflow,
  recordResult,
  sendAgain,
} from '../../../../actors/domain/stream-delivery.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const EARLIER = { at: NOW - 9_000, status: 500, ms: 3, error: 'status 500' };
/** Failed once, written again, and waiting for its client. */
const WAITING: DeliveryState = { ...newDelivery(NOW - 5_000), counted: 1, attempts: [EARLIER] };

test('a delivery that its client has seen has succeeded, and was no attempt', () => {
  const { attempts, counted } = WAITING;
  const seen = { ...WAITING, status: 'succeeded', nextAttemptAt: null, attempts, counted };
  assert.deepEqual(acknowledge(WAITING), seen);
});

test('a forwarded event ends by the status that its client was answered', () => {
  const rows = [
    [200, 'succeeded', null],
    [204, 'succeeded', null],
    [299, 'succeeded', null],
    [300, 'failed', 'status 300'],
    [410, 'failed', 'status 410'],
    [503, 'failed', 'status 503'],
    [null, 'failed', 'no answer'],
  ] as const;
  for (const [status, end, error] of rows) {
    assert.deepEqual(recordResult(WAITING, { status, ms: 40 }, NOW), {
      ...{ status: end, counted: 2, underWay: null, nextAttemptAt: null, byHand: null },
      attempts: [EARLIER, { at: NOW - 40, status, ms: 40, error }],
      lastWaitMs: WAITING.lastWaitMs,
    });
  }
});

test('a delivery that too many others wait behind fails, and says so', () => {
  const error = 'overflow: too many events waited';
  assert.deepEqual(overflow(WAITING, NOW), {
    ...{ status: 'failed', counted: 2, underWay: null, nextAttemptAt: null, byHand: null },
    attempts: [EARLIER, { at: NOW, status: null, ms: 0, error }],
    lastWaitMs: WAITING.lastWaitMs,
  });
});

test('a failed delivery alone is written again, and keeps its attempts', () => {
  const failed = overflow(WAITING, NOW);
  const again = { ...failed, status: 'pending', nextAttemptAt: null };
  assert.deepEqual(sendAgain(failed), again);
  for (const status of ['pending', 'succeeded', 'parked'] as const) {
    assert.equal(sendAgain({ ...WAITING, status }), null, status);
  }
});
