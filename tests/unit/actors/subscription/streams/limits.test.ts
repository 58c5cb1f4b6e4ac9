/**
 * Limits of an event stream: what may be written and not acknowledged, what may wait, and what is
 * told of the oldest that were dropped.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { StreamDocument } from '../../../../../actors/model/subscription.ts';
import { EVENT_STREAM_UNACKNOWLEDGED_MAX } from '../../../../../shared/limits.ts';
import { ENTITIES, ORG, StreamFixture } from './fixture.ts';

test('no more is written than may be unacknowledged', async () => {
  const stream = new StreamFixture();
  const more = 150;
  for (let n = 0; n < EVENT_STREAM_UNACKNOWLEDGED_MAX + more; n++) {
    stream.record(n % ENTITIES, { nudge: false });
  }
  let page = await stream.read();
  for (let reads = 0; page.unacknowledged < EVENT_STREAM_UNACKNOWLEDGED_MAX; reads++) {
    assert.ok(reads < 20, 'a page makes progress');
    page = await stream.read();
  }
  assert.equal(stream.page.length, EVENT_STREAM_UNACKNOWLEDGED_MAX);
  const last = stream.page.at(-1) ?? '';
  stream.connect();
  await stream.read(last);
  await stream.readAll();
  assert.equal(stream.page.length, more);
});

test('beyond the limit the oldest are dropped, and the connection is told', async () => {
  const stream = new StreamFixture(10);
  const ids = Array.from({ length: 14 }, () => stream.record(0, { nudge: false }));
  const { dropped } = await stream.read();
  await stream.readAll();
  assert.equal(dropped, 4);
  assert.deepEqual(stream.page, ids.slice(4));
  assert.equal(stream.delivery(ids[0] ?? '').state.status, 'failed');
});

test('near its limit a stream has at most a hundred more', async () => {
  const limit = 1_500;
  const stream = new StreamFixture(limit);
  const waiting = () => stream.database.count('deliveries', { 'state.status': 'pending' });
  for (let n = 0; n < limit + 350; n++) {
    stream.record(n % ENTITIES);
    await turn();
    await turn();
    assert.ok(waiting() <= limit + 100, `${waiting()} wait after ${n}`);
  }
});

test('a first page reads as much of the store as a little backlog does, whatever waits', async () => {
  const readsOf = async (waiting: number) => {
    const stream = new StreamFixture();
    for (let n = 0; n < waiting; n++) stream.record(n % ENTITIES, { nudge: false });
    stream.finds.length = 0;
    await stream.read();
    const deliveries = stream.finds.filter((each) => each.from === 'deliveries');
    return { reads: deliveries.length, most: Math.max(...deliveries.map(({ found }) => found)) };
  };
  const [few, many] = [await readsOf(150), await readsOf(5_000)];
  assert.deepEqual(many, few);
  assert.ok(many.most <= 150, JSON.stringify(many));
});

test('a full window is no reason to read again and again', async () => {
  const stream = new StreamFixture();
  for (let n = 0; n < EVENT_STREAM_UNACKNOWLEDGED_MAX + 5; n++) {
    stream.record(n % ENTITIES, { nudge: false });
  }
  await stream.readAll();
  assert.equal(stream.page.length, EVENT_STREAM_UNACKNOWLEDGED_MAX);
  assert.equal((await stream.read()).more, false);
});

describe('what a stream has dropped', () => {
  test('before its first connection reads is told to that one', async () => {
    const stream = new StreamFixture(10);
    for (let n = 0; n < 14; n++) stream.record(0, { nudge: false });
    stream.worker.wake();
    while ((await stream.worker.describe(ORG))?.waiting !== 10) await turn();
    assert.equal((await stream.read()).dropped, 4);
  });

  for (const owner of ['the owner', 'a new owner']) {
    test(`${owner} tells the first connection of a stream whose name an earlier one had`, async () => {
      const stream = new StreamFixture(10);
      stream.record(0, { nudge: false });
      await stream.readAll();
      for (let n = 0; n < 3; n++) stream.record(0, { nudge: false });
      stream.beginAnew();
      for (let n = 0; n < 14; n++) stream.record(0, { nudge: false });
      stream.clock.advance(2_000);
      if (owner === 'a new owner') stream.own();
      for (let nudges = 0; nudges < 100; nudges++) stream.worker.wake();
      while ((await stream.worker.describe(ORG))?.waiting !== 10) await turn();
      assert.equal((await stream.read()).dropped, 4);
      await stream.readAll();
      assert.equal(stream.page.length, 10);
    });
  }

  test('is counted also where an earlier owner drops it late', async () => {
    const stream = new StreamFixture(10);
    await stream.readAll();
    for (let n = 0; n < 11; n++) stream.record(0, { nudge: false });
    stream.own();
    const arrive = stream.loseNextCommit();
    await assert.rejects(stream.read(), /did not answer/);
    stream.own();
    await stream.worker.unschedule([]);
    arrive();
    assert.equal((await stream.read()).dropped, 1);
  });

  test('stays on record when an earlier write of its owner comes late', async () => {
    const stream = new StreamFixture(10);
    await stream.readAll();
    for (let n = 0; n < 10; n++) stream.record(0, { nudge: false });
    const arrive = stream.loseNextCommit();
    await assert.rejects(stream.read(), /did not answer/);
    stream.record(0, { nudge: false });
    for (let nudges = 0; nudges < 100; nudges++) stream.worker.wake();
    const dropped = () => stream.database.find<StreamDocument>('streams', {}, {})[0]?.state.dropped;
    while (dropped() === 0) await turn();
    arrive();
    assert.equal(dropped(), 1);
  });

  test('is told until the client acknowledges past it, over owners and lost answers', async () => {
    const stream = new StreamFixture(10);
    const ids = Array.from({ length: 14 }, () => stream.record(0, { nudge: false }));
    for (let reads = 0; reads < 3; reads++) {
      stream.connect();
      assert.equal((await stream.read()).dropped, 4);
      stream.own();
    }
    stream.connect();
    await stream.readAll();
    await stream.acknowledge(ids.at(-1) ?? '');
    stream.own();
    stream.connect();
    assert.equal((await stream.read()).dropped, 0);
  });
});
