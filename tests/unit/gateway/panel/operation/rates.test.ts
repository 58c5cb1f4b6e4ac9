/** Rates of the last hour: sampled while asked for, and bounded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { Rates } from '../../../../../gateway/panel/operation/rates.ts';
import {
  RATES_ASKED_MS,
  RATES_MINUTES_KEPT,
  RATES_SAMPLE_MS,
} from '../../../../../shared/limits.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

function ratesOf(perSample: number) {
  const clock = new ManualClock();
  let reads = 0;
  const rates = new Rates({
    clock,
    onFailed: (cause) => assert.fail(String(cause)),
    read: async () => {
      reads += 1;
      const count = 5_000 + reads * perSample;
      const text = `recado_request_duration_seconds_count{operation="sendMessage",status="201"} ${count}`;
      return [{ processId: 'gateway_1', role: 'gateway', text }];
    },
  });
  const pass = async (ms: number, eachMs = RATES_SAMPLE_MS) => {
    for (let at = 0; at < ms; at += eachMs) {
      clock.advance(eachMs);
      await settled();
    }
  };
  return { rates, pass, clock, reads: () => reads };
}

test('nothing is sampled before a page asks, nor long after', async () => {
  const { rates, pass, clock, reads } = ratesOf(0);
  await pass(60_000);
  assert.equal(reads(), 0);
  assert.equal(rates.points().since, null);
  await pass(RATES_ASKED_MS + 60_000);
  const read = reads();
  assert.ok(read > 0 && read <= RATES_ASKED_MS / RATES_SAMPLE_MS + 2);
  assert.equal(clock.waiting, 0);
});

test('a minute is a rate a second, and what was counted before is in none', async () => {
  const { rates, pass } = ratesOf(50);
  rates.points();
  await pass(120_000);
  const { points } = rates.points();
  assert.deepEqual([points[0]?.accepted, points[1]?.accepted], [5, 5]);
});

test('an hour is kept, however long a page asks', async () => {
  const { rates, pass } = ratesOf(1);
  for (let minute = 0; minute < RATES_MINUTES_KEPT + 30; minute++) {
    rates.points();
    await pass(60_000);
  }
  assert.ok(rates.points().points.length <= RATES_MINUTES_KEPT + 1);
});
