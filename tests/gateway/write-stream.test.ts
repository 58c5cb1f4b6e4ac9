/** A peer that does not read holds no stream that was cut off. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
