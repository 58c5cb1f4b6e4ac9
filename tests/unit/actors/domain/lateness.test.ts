import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Arrival,
  isLate,
  isLateByClock,
  LATE_AFTER_MS,
  latenessMs,
} from '../../../../actors/domain/lateness.ts';
import { forAll } from '../../../support/property.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const HOUR_MS = 3_600_000;
/** On time, by clocks that agree. */
const FRESH: Arrival = { writtenAt: NOW - 1_000, arrivedAt: NOW, reportedAt: NOW, behindMs: 0 };

const hours = fc.integer({ min: -48 * HOUR_MS, max: 48 * HOUR_MS });
const delays = fc.integer({ min: 0, max: 72 * HOUR_MS });
const arrivals = fc.record({
  writtenAt: hours.map((ms) => NOW + ms),
  arrivedAt: hours.map((ms) => NOW + ms),
  reportedAt: fc.option(
    hours.map((ms) => NOW + ms),
    { nil: undefined },
  ),
  behindMs: fc.option(hours),
});

describe('D409: a message is late', () => {
  it('from 15 minutes on, by the network’s time against its arrival', () => {
    const written = (agoMs: number) => ({ ...FRESH, writtenAt: NOW - agoMs });
    assert.equal(isLate(written(LATE_AFTER_MS)), false);
    assert.equal(isLate(written(LATE_AFTER_MS + 1)), true);
    for (const each of [5, 30]) assert.equal(isLate(written(each * HOUR_MS)), true);
  });

  it('whether it was held before its report, or its webhook was repeated', () => {
    const held = { ...FRESH, writtenAt: NOW - 5 * HOUR_MS };
    assert.equal(isLate(held), true);
    assert.equal(isLate({ ...held, reportedAt: held.writtenAt }), true);
    assert.equal(isLate({ ...held, reportedAt: undefined }), true, 'Meta tells no such time');
  });

  it('not by the clock of a bridge that is behind ours, or by ours that is ahead', () => {
    const behindMs = 5 * HOUR_MS;
    const slow = {
      writtenAt: NOW - behindMs,
      arrivedAt: NOW,
      reportedAt: NOW - behindMs,
      behindMs,
    };
    assert.deepEqual([isLate(slow), isLateByClock(slow)], [false, true]);
    assert.equal(isLate({ ...slow, reportedAt: undefined }), false);
    assert.equal(isLate({ ...slow, writtenAt: NOW - 10 * HOUR_MS }), true, 'and late besides');
  });

  it('by the network’s time, where the bridge has another one', () => {
    const behindMs = 5 * HOUR_MS;
    const late = { writtenAt: NOW - HOUR_MS, arrivedAt: NOW, reportedAt: NOW - behindMs, behindMs };
    assert.equal(isLate(late), true);
  });

  it('as far as is known while the bridge has not answered', () => {
    assert.equal(isLate({ ...FRESH, writtenAt: NOW - HOUR_MS, behindMs: null }), true);
    assert.equal(isLate({ ...FRESH, behindMs: null }), false);
  });
});

describe('D409: properties of lateness', () => {
  it('it is never more than the time since the message was written', () => {
    forAll([arrivals], (arrival) =>
      assert.ok(latenessMs(arrival) <= arrival.arrivedAt - arrival.writtenAt),
    );
  });

  it('a message on time is never late, whatever the clocks say of each other', () => {
    forAll([arrivals, fc.integer({ min: 0, max: LATE_AFTER_MS })], (arrival, ms) =>
      assert.equal(isLate({ ...arrival, writtenAt: arrival.arrivedAt - ms }), false),
    );
  });

  it('clocks that agree, or a network that is ahead, change nothing', () => {
    forAll([arrivals, delays], (arrival, aheadMs) =>
      assert.equal(
        latenessMs({ ...arrival, behindMs: -aheadMs }),
        arrival.arrivedAt - arrival.writtenAt,
      ),
    );
  });

  it('it rises with the time of arrival, by as much', () => {
    forAll([arrivals, delays], (arrival, ms) =>
      assert.equal(
        latenessMs({ ...arrival, arrivedAt: arrival.arrivedAt + ms }) - latenessMs(arrival),
        ms,
      ),
    );
  });

  it('a bridge that stamps everything by a slow clock is as one whose clock is right', () => {
    forAll([delays, delays, delays], (heldMs, waitedMs, behindMs) => {
      const writtenAt = NOW - heldMs - waitedMs;
      const right = { writtenAt, reportedAt: NOW - waitedMs, arrivedAt: NOW, behindMs: 0 };
      const slow = {
        writtenAt: right.writtenAt - behindMs,
        reportedAt: right.reportedAt - behindMs,
        arrivedAt: NOW,
        behindMs,
      };
      assert.equal(latenessMs(slow), latenessMs(right));
    });
  });
});
