/** A peer that does not read holds no stream that was cut off. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type StreamSink, writeStream } from '../../gateway/write-stream.ts';

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
    cork: (write) => write(),
  };
  return { sink, written };
}

async function* words(): AsyncGenerator<Uint8Array, undefined> {
  yield Buffer.from('one');
  yield Buffer.from('two');
}

const STAYS = { isOver: () => false, over: new Promise<void>(() => undefined) };

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
  await writeStream(slow, stream, { isOver: () => false, over });
  assert.deepEqual([waits, ...listened.map((each) => each.callCount())], [100, 1, 1]);
});

test('an exchange that is over waits for nothing', async () => {
  const { sink, written } = unread();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const stream = { sizeBytes: null, chunks: words(), end: () => undefined };
  const done = writeStream(sink, stream, { isOver: () => isOver, over });
  await new Promise((resume) => setImmediate(resume));
  isOver = true;
  resolve();
  await done;
  assert.deepEqual(written, ['one']);
});
