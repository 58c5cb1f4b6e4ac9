/** The name of an outage, and when it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  AGAIN_MS,
  LATE_MS,
  OutageSeries,
} from '../../../../../actors/subscription/deliveries/outage-series.ts';

const step = fc.record({
  happened: fc.constantFrom('opened', 'some', 'none', 'looked'),
  afterMs: fc.integer({ min: 0, max: LATE_MS }),
});

test('it keeps its name until reads have found nothing for the time of a late write', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const series = new OutageSeries();
      let now = 0;
      let name: number | null = null;
      /** The reads since the last that found some. */
      let none: number[] = [];
      for (const { happened, afterMs } of steps) {
        now += afterMs;
        if (happened === 'opened') name = series.begin(now);
        if (happened === 'some') {
          series.foundSome();
          none = [];
        }
        if (happened === 'none') {
          none.push(now);
          const isOver = now - (none[0] ?? now) >= LATE_MS;
          assert.equal(series.foundNone(now), isOver);
          if (isOver) name = null;
          if (isOver) none = [];
        }
        const isRecent = now - (none.at(-1) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS;
        assert.equal(series.toUnpark(now), isRecent ? null : name);
        assert.equal(series.name, name);
      }
    }),
  );
});

test('a name counts as recorded when a read has found this one', () => {
  const series = new OutageSeries();
  assert.equal(series.begin(7), 7);
  series.confirm(null);
  assert.equal(series.isRecorded, false);
  series.confirm(5);
  assert.equal(series.isRecorded, false);
  series.adopt(5);
  assert.equal(series.isRecorded, true);
  series.adopt(null);
  assert.equal(series.begin(9), 5, 'an outage that lasts keeps its name');
});
