/** One connection of an event stream: its order, its reads and pushes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  EVENT_STREAM_COMMENT_EVERY_MS,
  EVENT_STREAM_TOUCHED_EVERY_MS,
} from '../../../../shared/limits.ts';
import { caughtUp, delivery, HINT, page, push, started, written } from './event-stream-fixture.ts';

describe('reads and pushes', () => {
  test('a connection begins with retry, and writes what its first read answers', async () => {
    const stream = await started();
    assert.equal(stream.takeText(), 'retry: 1000\n\n');
    assert.deepEqual(stream.openReads(), [0]);
    await stream.answer(page([3, 5, 9]));
    assert.equal(stream.takeText(), written([3, 5, 9]));
    assert.deepEqual(stream.openReads(), []);
  });

  test('the next page is read at once, from the last position', async () => {
    const stream = await started();
    await stream.answer(page([1, 2], { more: true }));
    assert.deepEqual(stream.openReads(), [2]);
    await stream.answer(page([3]));
    assert.deepEqual(stream.openReads(), []);
    assert.ok(stream.text.endsWith(written([1, 2, 3])));
  });

  test('a push that follows the position is written without a read', async () => {
    const stream = await caughtUp(4);
    await stream.push(push(4, [6, 7]));
    await stream.push(push(7, [8]));
    assert.equal(stream.text, written([6, 7, 8]));
    assert.deepEqual(stream.openReads(), []);
  });

  test('a push behind a lost one, and one without deliveries, make it read', async () => {
    for (const heard of [push(6, [7]), push(2, [7]), HINT]) {
      const stream = await caughtUp(4);
      await stream.push(heard);
      assert.deepEqual(stream.openReads(), [4]);
      assert.equal(stream.text, '');
      await stream.answer(page([6, 7]));
      assert.equal(stream.takeText(), written([6, 7]));
      await stream.push(push(7, [8]));
      assert.equal(stream.text, written([8]));
    }
  });

  test('a push before the first read is answered writes nothing', async () => {
    const stream = await started();
    stream.takeText();
    await stream.push(push(0, [2]));
    assert.equal(stream.text, '');
    await stream.answer(page([1]));
    assert.equal(stream.takeText(), written([1]));
    assert.deepEqual(stream.openReads(), [1], 'it may not be in the answer');
    await stream.answer(page([2]));
    assert.equal(stream.text, written([2]));
    assert.deepEqual(stream.openReads(), []);
  });

  test('a push that the answer of the read already has causes no further read', async () => {
    const stream = await caughtUp(4);
    await stream.push(HINT);
    await stream.push(push(4, [5]));
    await stream.answer(page([5, 6]));
    assert.equal(stream.text, written([5, 6]));
    assert.deepEqual(stream.openReads(), []);
  });

  test('pushes of one tick are written once: the first as it is, the others by a read', async () => {
    const stream = await caughtUp(4);
    await stream.push(push(4, [5]), push(5, [6]), push(6, [7]));
    assert.equal(stream.text, written([5]));
    await stream.answer(page([6, 7]));
    assert.equal(stream.text, written([5, 6, 7]));
    assert.deepEqual(stream.openReads(), []);
  });

  test('an empty page with more to come is read again after a pause', async () => {
    const stream = await started();
    await stream.answer(page([], { more: true }));
    assert.deepEqual(stream.openReads(), []);
    await stream.pass(500);
    assert.equal(stream.openReads().length, 1);
  });

  test('a body with line ends stays one event', async () => {
    const stream = await caughtUp();
    const deliveries = [delivery(1, '{"a":1,\n"b":2}\r\nx')];
    await stream.push({ after: 0, deliveries, unacknowledged: 1 });
    const lines = 'data: {"a":1,\ndata: "b":2}\ndata: x\n\n';
    assert.equal(stream.text, `id: 1.dlv_1\nevent: message.received\n${lines}`);
  });

  test('dropped events are told before the page, without an id', async () => {
    const stream = await started();
    stream.takeText();
    await stream.answer(page([5], { dropped: 12 }));
    assert.equal(stream.text, `event: overflow\ndata: {"dropped":12}\n\n${written([5])}`);
  });
});

describe('silence and failures', () => {
  test('each silence of 15 s is a comment and a read', async () => {
    const stream = await caughtUp(4);
    await stream.pass(EVENT_STREAM_COMMENT_EVERY_MS - 1);
    assert.equal(stream.text, '');
    await stream.pass(1);
    assert.equal(stream.takeText(), ':\n\n');
    assert.deepEqual(stream.openReads(), [4]);
    await stream.answer(page([5]));
    assert.equal(stream.takeText(), written([5]), 'its push was lost');
    await stream.pass(EVENT_STREAM_COMMENT_EVERY_MS);
    assert.equal(stream.takeText(), ':\n\n');
  });

  test('an event ends a silence', async () => {
    const stream = await caughtUp();
    await stream.pass(EVENT_STREAM_COMMENT_EVERY_MS - 1);
    await stream.push(push(0, [1]));
    await stream.pass(EVENT_STREAM_COMMENT_EVERY_MS - 1);
    assert.equal(stream.takeText(), written([1]));
    await stream.pass(1);
    assert.equal(stream.text, ':\n\n');
  });

  test('a failed read is repeated with growing pauses, and ends nothing', async () => {
    const stream = await caughtUp(4);
    await stream.push(HINT);
    for (const pauseMs of [500, 1_000, 2_000, 4_000]) {
      await stream.fail();
      await stream.pass(pauseMs - 1);
      assert.deepEqual(stream.openReads(), []);
      await stream.pass(1);
      assert.deepEqual(stream.openReads(), [4]);
    }
    await stream.answer(page([5]));
    assert.equal(stream.takeText(), written([5]));
    await stream.push(HINT);
    await stream.fail();
    await stream.pass(500);
    assert.equal(stream.openReads().length, 1, 'the pauses begin anew');
  });

  test('comments go on while a read waits for its answer', async () => {
    const stream = await caughtUp(4);
    await stream.push(HINT);
    await stream.pass(EVENT_STREAM_COMMENT_EVERY_MS);
    await stream.pass(EVENT_STREAM_COMMENT_EVERY_MS);
    assert.equal(stream.text, ':\n\n:\n\n');
    assert.equal(stream.openReads().length, 1);
  });

  test('a push of an owner that answers again ends the pause', async () => {
    const stream = await caughtUp(4);
    await stream.push(HINT);
    await stream.fail();
    await stream.push(push(4, [5]));
    assert.equal(stream.text, '');
    assert.deepEqual(stream.openReads(), [4]);
    await stream.answer(page([5]));
    assert.equal(stream.text, written([5]));
  });

  test('an open connection keeps its stream, also after a touch without an answer', async () => {
    const stream = await caughtUp();
    const silence = async (): Promise<void> => {
      await stream.pass(EVENT_STREAM_COMMENT_EVERY_MS);
      await stream.answer(page([]));
    };
    const silences = EVENT_STREAM_TOUCHED_EVERY_MS / EVENT_STREAM_COMMENT_EVERY_MS;
    for (let n = 1; n < silences; n++) await silence();
    assert.equal(stream.touches.length, 0);
    await silence();
    assert.equal(stream.touches.length, 1);
    stream.touches[0]?.reject(new Error('the owner is being replaced'));
    await silence();
    await silence();
    assert.equal(stream.touches.length, 2);
    stream.touches[1]?.resolve(true);
    await silence();
    assert.equal(stream.touches.length, 2);
    assert.equal(stream.over, false);
  });
});
