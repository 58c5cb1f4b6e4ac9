/** An organization's hints: the first goes at once, the next ones together, all within a bound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { type Batch, LiveFeed } from '../../../../../gateway/panel/live/live-feed.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const HintsSchema = v.object({
  hints: v.array(v.looseObject({ kind: v.string(), id: v.string(), seq: v.number() })),
});

function openFeed() {
  const clock = new ManualClock();
  const batches: (Batch | 'too many')[] = [];
  const feed = new LiveFeed(clock, (batch) => batches.push(batch));
  const next = (): Batch => {
    const batch = batches.shift();
    assert.ok(batch && batch !== 'too many');
    return batch;
  };
  return { clock, feed, batches, next };
}

function hintsIn({ hints }: Batch) {
  const text = hints ? Buffer.from(hints.bytes).toString() : '';
  const data = /^event: hint\ndata: (.*)\n\n$/.exec(text)?.[1];
  return v.parse(HintsSchema, JSON.parse(data ?? 'null')).hints;
}

test('the first hint goes at once, the next ones wait for each other', () => {
  const { clock, feed, batches, next } = openFeed();
  feed.add('conversation', [{ id: 'a', seq: 1 }]);
  clock.advance(0);
  assert.deepEqual(hintsIn(next()), [{ kind: 'conversation', id: 'a', seq: 1 }]);
  feed.add('conversation', [{ id: 'a', seq: 2 }]);
  clock.advance(60);
  feed.add('deal', [{ id: 'b', seq: 1 }]);
  assert.equal(batches.length, 0);
  clock.advance(40);
  assert.deepEqual(hintsIn(next()), [
    { kind: 'conversation', id: 'a', seq: 2 },
    { kind: 'deal', id: 'b', seq: 1 },
  ]);
  clock.advance(1_000);
  assert.equal(batches.length, 0);
});

test('of one entity the newest hint is told', () => {
  const { clock, feed, next } = openFeed();
  feed.add('conversation', [
    { id: 'a', seq: 2 },
    { id: 'b', seq: 1 },
  ]);
  feed.add('conversation', [{ id: 'a', seq: 3 }]);
  feed.add('conversation', [{ id: 'a', seq: 1 }]);
  clock.advance(0);
  assert.deepEqual(hintsIn(next()), [
    { kind: 'conversation', id: 'a', seq: 3 },
    { kind: 'conversation', id: 'b', seq: 1 },
  ]);
});

test('people who write in one conversation are told of each', () => {
  const { clock, feed, next } = openFeed();
  const ana = { id: 'ana', name: 'Ana' };
  const bia = { id: 'bia', name: 'Bia' };
  feed.add('presence', [{ id: 'a', seq: 1, by: ana }]);
  feed.add('presence', [{ id: 'a', seq: 2, by: bia }]);
  clock.advance(0);
  const { hints, typing } = next();
  assert.equal(hints, null);
  for (const [at, member] of [ana, bia].entries()) {
    const { memberId, bytes = '' } = typing[at] ?? {};
    const data = JSON.stringify({ conversationId: 'a', member });
    assert.equal(memberId, member.id);
    assert.equal(Buffer.from(bytes).toString(), `event: typing\ndata: ${data}\n\n`);
  }
  assert.equal(typing.length, 2);
});

test('too many at once are told as such, and an ended feed tells nothing', () => {
  const { clock, feed, batches, next } = openFeed();
  for (let n = 0; n < 600; n++) feed.add('deal', [{ id: `deal ${n}`, seq: 1 }]);
  clock.advance(0);
  assert.equal(batches.shift(), 'too many');
  feed.add('deal', [{ id: 'x', seq: 1 }]);
  clock.advance(100);
  assert.deepEqual(hintsIn(next()), [{ kind: 'deal', id: 'x', seq: 1 }]);
  feed.add('deal', [{ id: 'y', seq: 1 }]);
  feed.end();
  clock.advance(1_000);
  assert.equal(batches.length, 0);
});
