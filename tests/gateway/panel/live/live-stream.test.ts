/** One page's stream: what waits is coalesced, bounded, and ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { LiveStream } from '../../../../gateway/panel/live/live-stream.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const HintsSchema = v.object({
  hints: v.array(v.looseObject({ kind: v.string(), id: v.string(), seq: v.number() })),
});

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

function hintsIn(event: string | null) {
  const data = /^event: hint\ndata: (.*)\n\n$/.exec(event ?? '')?.[1];
  return v.parse(HintsSchema, JSON.parse(data ?? 'null')).hints;
}

test('a page first reads everything, then hears the newest hint of each entity', async () => {
  const { stream, next } = openStream();
  assert.match((await next(0)) ?? '', /^retry: \d+\nevent: resync\n/);
  stream.add('conversation', [
    { id: 'a', seq: 2 },
    { id: 'b', seq: 1 },
  ]);
  stream.add('conversation', [{ id: 'a', seq: 3 }]);
  stream.add('conversation', [{ id: 'a', seq: 1 }]);
  assert.deepEqual(hintsIn(await next(100)), [
    { kind: 'conversation', id: 'a', seq: 3 },
    { kind: 'conversation', id: 'b', seq: 1 },
  ]);
});

test('people who write in one conversation are told of each', async () => {
  const { stream, next } = openStream();
  await next(0);
  const ana = { id: 'ana', name: 'Ana' };
  const bia = { id: 'bia', name: 'Bia' };
  stream.add('presence', [{ id: 'a', seq: 1, by: ana }]);
  stream.add('presence', [{ id: 'a', seq: 2, by: bia }]);
  const events = [ana, bia].map(
    (member) => `event: typing\ndata: ${JSON.stringify({ conversationId: 'a', member })}\n\n`,
  );
  assert.equal(await next(100), events.join(''));
});

test('a page that reads too slowly gets one resync, and hints again afterwards', async () => {
  const { stream, next } = openStream();
  await next(0);
  for (let n = 0; n < 600; n++) stream.add('deal', [{ id: `deal ${n}`, seq: 1 }]);
  assert.equal(await next(100), 'event: resync\ndata: {}\n\n');
  stream.add('deal', [{ id: 'x', seq: 1 }]);
  assert.deepEqual(hintsIn(await next(100)), [{ kind: 'deal', id: 'x', seq: 1 }]);
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
  stream.add('deal', [{ id: 'x', seq: 1 }]);
  stream.signOut();
  assert.equal(await next(0), 'event: ended\ndata: {}\n\n');
  assert.equal(await next(0), null);
  await stream.cutOff;
  assert.equal(ends(), 1);
});
