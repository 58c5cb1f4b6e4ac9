/** One connection of an event stream: its ends, and peers that accept nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  EVENT_STREAM_STALL_MS,
  EVENT_STREAM_TOUCHED_EVERY_MS,
  EVENT_STREAM_UNACKNOWLEDGED_MAX,
} from '../../../../shared/limits.ts';
import {
  caughtUp,
  delivery,
  HINT,
  page,
  push,
  StreamFixture,
  started,
  written,
} from './event-stream-fixture.ts';

describe('ends', () => {
  test('a replaced connection says so, and ends', async () => {
    const stream = await caughtUp();
    await stream.push(HINT);
    await stream.answer({ outcome: 'replaced' });
    assert.equal(stream.text, 'event: replaced\nretry: 60000\ndata: {}\n\n');
    assertReleased(stream);
  });

  test('a stream that is gone ends at once, and so does one that no touch finds', async () => {
    const gone = await caughtUp();
    await gone.push(HINT);
    await gone.answer({ outcome: 'gone' });
    assert.equal(gone.text, '');
    assertReleased(gone);
    const untouched = await caughtUp();
    await untouched.pass(EVENT_STREAM_TOUCHED_EVERY_MS);
    untouched.touches[0]?.resolve(false);
    await untouched.pass(0);
    assertReleased(untouched);
  });

  test('at the limit of unacknowledged deliveries the response ends behind the page', async () => {
    const unacknowledged = EVENT_STREAM_UNACKNOWLEDGED_MAX;
    const read = await started();
    read.takeText();
    await read.answer(page([5, 6], { unacknowledged, more: true }));
    assert.equal(read.text, written([5, 6]));
    assertReleased(read);
    const pushed = await caughtUp();
    await pushed.push({ ...push(0, [1]), unacknowledged });
    assert.equal(pushed.text, written([1]));
    assertReleased(pushed);
    const below = await caughtUp();
    await below.push({ ...push(0, [1]), unacknowledged: unacknowledged - 1 });
    assert.equal(below.over, false);
  });

  test('a connection with nothing to write stays open at the limit', async () => {
    const stream = await started();
    await stream.answer(page([], { unacknowledged: EVENT_STREAM_UNACKNOWLEDGED_MAX }));
    assert.equal(stream.over, false);
  });

  test('a peer that has gone releases everything, and later answers and pushes change nothing', async () => {
    const stream = await caughtUp();
    await stream.push(HINT);
    stream.stream.end();
    await stream.answer(page([1]));
    assert.equal(stream.text, '');
    assertReleased(stream);
  });

  test('its owner is told of the end, unless another connection has the stream', async () => {
    const left = await caughtUp();
    left.stream.end();
    left.stream.end();
    assert.equal(left.leaves, 1);
    const replaced = await caughtUp();
    await replaced.push(HINT);
    await replaced.answer({ outcome: 'replaced' });
    const closed = await caughtUp();
    closed.stream.close();
    assert.deepEqual([replaced.leaves, closed.leaves], [0, 0]);
  });

  test('a response that was never begun is released as well', () => {
    const stream = new StreamFixture();
    stream.stream.end();
    assert.deepEqual([stream.ends, stream.isHeard, stream.clock.waiting], [1, false, 0]);
  });
});

function assertReleased(stream: StreamFixture, how: StreamFixture['over'] = 'ended'): void {
  assert.equal(stream.over, how);
  assert.deepEqual([stream.ends, stream.isHeard, stream.clock.waiting], [1, false, 0]);
}

describe('a slow peer', () => {
  test('nothing is read for it while it does not accept what was written', async () => {
    const stream = await started();
    stream.fill();
    await stream.answer(page([1, 2], { more: true }));
    assert.deepEqual(stream.openReads(), []);
    await stream.push(push(2, [3]), HINT);
    assert.deepEqual(stream.openReads(), []);
    assert.ok(stream.text.endsWith(written([1, 2])));
    await stream.drain();
    assert.deepEqual(stream.openReads(), [2]);
  });

  test('a push that comes meanwhile is read afterwards', async () => {
    const stream = await caughtUp();
    stream.fill();
    await stream.push(push(0, [1]));
    await stream.push(push(1, [2]));
    assert.equal(stream.text, written([1]));
    await stream.drain();
    await stream.answer(page([2]));
    assert.equal(stream.text, written([1, 2]));
  });

  test('it is cut off when it accepts nothing for 60 s', async () => {
    const stream = await caughtUp();
    stream.fill();
    await stream.push(push(0, [1]));
    await stream.pass(EVENT_STREAM_STALL_MS - 1);
    assert.equal(stream.over, false);
    await stream.pass(1);
    assertReleased(stream, 'cut');
  });

  test('each slice of a page has its own 60 s', async () => {
    const stream = await caughtUp();
    stream.fill();
    const deliveries = [delivery(1, JSON.stringify('x'.repeat(150_000)))];
    await stream.push({ after: 0, deliveries, unacknowledged: 1 });
    for (let slices = 1; slices <= 3; slices++) {
      assert.equal(stream.text.endsWith('xx"\n\n'), slices === 3);
      await stream.pass(EVENT_STREAM_STALL_MS - 1);
      await stream.drain({ fullAgain: true });
    }
    assert.equal(stream.over, false);
  });

  test('a process that stops does not wait for it', async () => {
    const stream = await caughtUp();
    stream.fill();
    await stream.push(push(0, [1]));
    stream.stream.close();
    await stream.pass(0);
    assert.equal(stream.over, 'cut');
    assert.equal(stream.clock.waiting, 0);
  });
});
