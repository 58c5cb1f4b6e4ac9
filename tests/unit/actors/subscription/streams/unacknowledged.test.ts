/** The pure parts of a stream's worker: what it has written, and its connection (D381). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { untilCount } from '../../../../../actors/subscription/streams/overflow.ts';
import { StreamReader } from '../../../../../actors/subscription/streams/reader.ts';
import { Unacknowledged } from '../../../../../actors/subscription/streams/unacknowledged.ts';
import {
  EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND,
  EVENT_STREAM_PAGE_MAX,
  EVENT_STREAM_UNACKNOWLEDGED_MAX,
} from '../../../../../shared/limits.ts';
import { withRuns } from '../../../../support/property.ts';

const IDS = 12;
const SECOND_MS = 1_000;
const forMany = withRuns(200);

function written(count: number): Map<string, number> {
  return new Map(Array.from({ length: count }, (_, n) => [`dlv_${n}`, n + 1]));
}

test('what is acknowledged up to a position, and what comes after it, are all there is', () => {
  const positions = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: IDS });
  forMany([positions, fc.nat(100), fc.nat(IDS)], (some, position, count) => {
    const rising = some.toSorted((a, b) => a - b);
    const known = new Unacknowledged(new Map(rising.map((at) => [`dlv_${at}`, at])));
    assert.deepEqual(known.upTo(position).concat(known.after(position)), known.oldest(IDS));
    assert.ok(known.upTo(position).every((id) => Number(id.slice(4)) <= position));
    assert.ok(known.after(position).every((id) => Number(id.slice(4)) > position));
    assert.deepEqual(known.oldest(count), known.oldest(IDS).slice(0, count));
    assert.equal(known.last, rising.at(-1) ?? 0);
    known.remove(known.upTo(position));
    assert.deepEqual(known.upTo(position), []);
    assert.equal(known.size, rising.filter((at) => at > position).length);
  });
});

test('what is written later comes last, and has room for a page at most', () => {
  const limit = EVENT_STREAM_UNACKNOWLEDGED_MAX;
  forMany([fc.nat(limit), fc.nat(EVENT_STREAM_PAGE_MAX)], (before, more) => {
    const known = new Unacknowledged(written(before));
    assert.equal(known.capacity, Math.min(limit - before, EVENT_STREAM_PAGE_MAX));
    const count = Math.min(more, known.capacity);
    const next = Array.from({ length: count }, (_, n) => ({
      _id: `dlv_new_${n}`,
      state: { position: limit + n + 1 },
    }));
    known.add(next);
    assert.ok(known.size <= limit);
    assert.deepEqual(
      known.after(limit),
      next.map(({ _id }) => _id),
    );
    assert.ok(next.every(({ _id }) => known.has(_id)));
  });
});

test('only the first room after none is told', () => {
  const full = new Unacknowledged(written(EVENT_STREAM_UNACKNOWLEDGED_MAX));
  assert.equal(full.capacity, 0);
  assert.equal(full.remove([]), false);
  assert.equal(full.remove(['dlv_0']), true);
  assert.equal(full.remove(['dlv_1']), false);
});

test('what waits is counted more often the nearer it is to the limit', () => {
  forMany([fc.integer({ min: -5_000, max: 5_000 })], (tooMany) => {
    const next = untilCount(tooMany);
    assert.ok(next >= 100 && next <= 1_000);
    assert.ok(next <= untilCount(tooMany - 1));
    // Beyond the limit by no more than the least between two counts.
    assert.ok(tooMany + next <= Math.max(100, tooMany + 100));
  });
});

test('of a second’s acknowledgements no more are taken than its limit', () => {
  forMany([fc.array(fc.nat(SECOND_MS), { maxLength: 30 })], (waits) => {
    const reader = new StreamReader();
    const taken: number[] = [];
    let now = 0;
    for (const wait of waits) {
      now += wait;
      const recent = taken.filter((at) => now - at < SECOND_MS).length;
      const isAllowed = reader.mayAcknowledge(now);
      assert.equal(isAllowed, recent < EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND);
      if (isAllowed) taken.push(now);
    }
  });
});

test('a connection is there until it is silent or leaves, and one of another stream never was', () => {
  const reader = new StreamReader();
  assert.ok(!reader.isThere(0));
  reader.begin(1);
  assert.ok(reader.hasRead(3, 0));
  assert.ok(!reader.hasRead(3, 10), 'not its first read');
  reader.leave({ connection: 2, generation: 1 });
  assert.ok(reader.isThere(10), 'an older one has left');
  assert.ok(!reader.isThere(10 + 45_000));
  reader.begin(1);
  assert.equal(reader.connection, 3);
  reader.begin(2);
  assert.equal(reader.connection, 0);
  assert.ok(!reader.isThere(10));
  assert.ok(reader.hasRead(1, 20));
  reader.leave({ connection: 1, generation: 1 });
  assert.ok(reader.isThere(20), 'one of the stream before has left');
  reader.leave({ connection: 1 });
  assert.ok(!reader.isThere(20));
});

test('a read is asked for once a second', () => {
  forMany([fc.array(fc.nat(SECOND_MS), { maxLength: 30 })], (waits) => {
    const reader = new StreamReader();
    let now = 0;
    let askedAt = Number.NEGATIVE_INFINITY;
    for (const wait of waits) {
      now += wait;
      assert.equal(reader.mayAsk(now), now - askedAt >= SECOND_MS);
      if (now - askedAt >= SECOND_MS) askedAt = now;
    }
  });
});
