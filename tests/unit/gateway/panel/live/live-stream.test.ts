/** One page's stream: what waits is bounded, and it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveStream } from '../../../../../gateway/panel/live/live-stream.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

function openStream() {
  const clock = new ManualClock();
  let ends = 0;
  const stream = new LiveStream(clock, () => void ends++);
  const events = stream.chunks[Symbol.asyncIterator]();
  /** The next event, after so much time has passed while it is waited for. */
  const next = async (ms: number): Promise<string | null> => {
    const found = events.next();
    for (let passed = 0; passed < ms; passed += 50) {
      await new Promise((resume) => setImmediate(resume));
      clock.advance(50);
    }
    const { value, done } = await found;
    return done ? null : Buffer.from(value).toString();
  };
  return { stream, next, ends: () => ends };
}

const told = (text: string, count = 1) => ({ count, bytes: Buffer.from(text) });
const RESYNC = 'event: resync\ndata: {}\n\n';

test('a page first reads everything, then hears what is told, in order', async () => {
  const { stream, next } = openStream();
  assert.match((await next(0)) ?? '', /^retry: \d+\nevent: resync\n/);
  stream.add(told('first'));
  assert.equal(await next(0), 'first');
  stream.add(told('second'));
  stream.add(told('third'));
  assert.equal(await next(0), 'secondthird');
});

test('a page that reads too slowly gets one resync, and hints again afterwards', async () => {
  const { stream, next } = openStream();
  await next(0);
  for (let n = 0; n < 6; n++) stream.add(told('many', 100));
  assert.equal(await next(0), RESYNC);
  stream.add(told('again'));
  assert.equal(await next(0), 'again');
  stream.add(told('lost'));
  stream.resync();
  assert.equal(await next(0), RESYNC);
});

test('silence is told as a heartbeat, and an end ends it once', async () => {
  const { stream, next, ends } = openStream();
  await next(0);
  assert.equal(await next(15_000), 'event: beat\ndata: {}\n\n');
  const last = next(0);
  stream.end();
  stream.end();
  assert.equal(await last, null);
  assert.equal(ends(), 1);
});

test('the end of its session is the last event of a stream, whatever waits', async () => {
  const { stream, next, ends } = openStream();
  await next(0);
  stream.add(told('late'));
  stream.signOut();
  assert.equal(await next(0), 'event: ended\ndata: {}\n\n');
  assert.equal(await next(0), null);
  await stream.cutOff;
  assert.equal(ends(), 1);
});
