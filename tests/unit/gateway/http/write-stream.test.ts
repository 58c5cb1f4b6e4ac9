/** A peer that does not read holds no stream that was cut off. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type StreamSink, writeStream } from '../../../../gateway/http/write-stream.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** A socket of a peer that reads nothing: the first write already has to wait. */
function unread() {
  const written: string[] = [];
  const sink: StreamSink = {
    tryEnd: () => [false, false],
    write: (chunk) => {
      written.push(Buffer.from(chunk).toString());
      return false;
    },
    end: () => undefined,
    getWriteOffset: () => 0,
    onWritable: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    cork: (write) => write(),
  };
  return { sink, written };
}

async function* words(): AsyncGenerator<Uint8Array, undefined> {
  yield Buffer.from('one');
  yield Buffer.from('two');
}

const clock = new ManualClock();
const STAYS = { isOver: () => false, over: new Promise<void>(() => undefined), clock };

test('a blocked write ends with an error when its stream is cut off', async () => {
  const { sink, written } = unread();
  const { promise: cutOff, resolve } = Promise.withResolvers<void>();
  const stream = { sizeBytes: null, chunks: words(), cutOff, end: () => undefined };
  const done = writeStream(sink, stream, STAYS);
  resolve();
  await assert.rejects(done, /reads too slowly/);
  assert.deepEqual(written, ['one']);
});

test('a stream that waits often listens to its ends once: its memory does not grow', async () => {
  let waits = 0;
  let writable = (): unknown => null;
  const { sink } = unread();
  const slow: StreamSink = {
    ...sink,
    onWritable: (on) => {
      writable = () => on(0);
    },
    write: () => {
      waits += 1;
      setImmediate(() => writable());
      return false;
    },
  };
  async function* many(): AsyncGenerator<Uint8Array, undefined> {
    for (let n = 0; n < 100; n++) yield Buffer.from('word');
  }
  const [over, cutOff] = [0, 1].map(() => new Promise<void>(() => undefined));
  assert.ok(over && cutOff);
  const listened = [over, cutOff].map((each) => mock.method(each, 'then').mock);
  const stream = { sizeBytes: null, chunks: many(), cutOff, end: () => undefined };
  await writeStream(slow, stream, { isOver: () => false, over, clock });
  assert.deepEqual([waits, ...listened.map((each) => each.callCount())], [100, 1, 1]);
});

test('an exchange that is over waits for nothing', async () => {
  const { sink, written } = unread();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const stream = { sizeBytes: null, chunks: words(), end: () => undefined };
  const done = writeStream(sink, stream, { isOver: () => isOver, over, clock });
  await new Promise((resume) => setImmediate(resume));
  isOver = true;
  resolve();
  await done;
  assert.deepEqual(written, ['one']);
});

test('a stream with its own time-out renews the time limit of the server while its peer reads nothing', async () => {
  for (const hasOwnTimeout of [true, undefined]) {
    const calls: string[] = [];
    const { sink } = unread();
    const counting: StreamSink = {
      ...sink,
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
    };
    const { promise: cutOff, resolve } = Promise.withResolvers<void>();
    const stream = { sizeBytes: null, chunks: words(), cutOff, end: () => undefined };
    const timed = { ...stream, ...(hasOwnTimeout && { hasOwnTimeout }) };
    const done = writeStream(counting, timed, STAYS);
    await new Promise((resume) => setImmediate(resume));
    for (let passed = 0; passed < 12_000; passed += 4_000) clock.advance(4_000);
    const renewed = ['pause', 'resume'];
    assert.deepEqual(calls, hasOwnTimeout ? [...renewed, ...renewed, ...renewed] : []);
    resolve();
    await assert.rejects(done, /reads too slowly/);
    assert.equal(clock.waiting, 0);
  }
});
