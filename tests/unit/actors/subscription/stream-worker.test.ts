/**
 * Event streams. Each recorded event reaches a connection at least once, with the same bytes and in
 * the order of its entity. An acknowledged one never comes again. Owners crash, nudges get lost.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { StreamDocument } from '../../../../actors/subscription/stream-cursor.ts';
import { streamOrder } from '../../../../actors/subscription/stream-recorder.ts';
import { deliveryId } from '../../../../shared/entity-ids.ts';
import { EVENT_STREAM_UNACKNOWLEDGED_MAX } from '../../../../shared/limits.ts';
import type { Write } from '../../../../shared/ports/store.ts';
import { ids } from '../../../faults/fencing/environment.ts';
import { ENTITIES, ORG, STREAM, StreamFixture } from './stream-fixture.ts';

const RUNS = 200;
/** Where the first owner of a stream begins. */
const FIRST_OWNER = 2 ** 51 + 10_000;

const actions = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ act: fc.constant('record'), n: fc.nat(ENTITIES - 1) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('lost'), n: fc.nat(ENTITIES - 1) }) },
    { weight: 4, arbitrary: fc.record({ act: fc.constant('read'), n: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('push'), n: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('acknowledge'), n: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('connect'), n: fc.constant(0) }) },
    {
      weight: 1,
      arbitrary: fc.record({ act: fc.constant('crash'), n: fc.integer({ min: -5, max: 5 }) }),
    },
  ),
  { maxLength: 60 },
);

async function act(stream: StreamFixture, { act: name, n }: { act: string; n: number }) {
  if (name === 'record') stream.record(n);
  if (name === 'lost') stream.record(n, { nudge: false });
  if (name === 'read') await stream.read();
  if (name === 'connect') stream.connect();
  if (name === 'acknowledge') {
    const id = stream.page[n];
    if (id !== undefined) await stream.acknowledge(id);
  }
  if (name === 'crash') {
    // Clocks of owners differ by seconds.
    stream.clock.advance(Math.max(0, n) * 1_000);
    stream.own();
  }
  if (name !== 'push') return;
  for (const page of stream.pushes.splice(0)) {
    if (page.deliveries.length > 0 && page.after === stream.after) stream.take(page.deliveries);
  }
}

describe('a stream of events', () => {
  test('nothing is lost, out of order within an entity, or written after its acknowledgement', () =>
    fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        const stream = new StreamFixture();
        for (const step of steps) await act(stream, step);
        stream.connect();
        await stream.readAll();
        const waiting = stream.recorded.filter((id) => !stream.acknowledged.has(id));
        assert.deepEqual(stream.page.toSorted(), waiting.toSorted());
      }),
      { numRuns: RUNS },
    ));

  test('an acknowledgement settles up to its position, once', async () => {
    const stream = new StreamFixture();
    const [first = '', second = '', third = ''] = [0, 1, 2].map((entity) => stream.record(entity));
    await stream.readAll();
    assert.equal(await stream.acknowledge(second), 2);
    assert.equal(await stream.acknowledge(second), 0);
    assert.equal(stream.delivery(first).state.status, 'succeeded');
    assert.equal(stream.delivery(third).state.status, 'pending');
    assert.equal(await stream.acknowledge('dlv_unknown'), 0);
  });

  test('a result settles one delivery, as an attempt', async () => {
    const stream = new StreamFixture();
    const [first = '', second = ''] = [0, 1].map((entity) => stream.record(entity));
    await stream.readAll();
    const results = [
      { id: second, status: 500, ms: 12 },
      { id: 'dlv_unknown', status: 200, ms: 1 },
    ];
    const command = { id: 'ack', type: 'acknowledge-stream', orgId: ORG } as const;
    assert.equal(await stream.worker.acknowledge({ ...command, settled: { results } }), 1);
    assert.equal(stream.delivery(first).state.status, 'pending');
    const { status, attempts } = stream.delivery(second).state;
    const [attempt] = attempts;
    assert.deepEqual(
      [status, attempts.length, attempt?.status, attempt?.ms],
      ['failed', 1, 500, 12],
    );
    const again = await stream.worker.retry(async () => [stream.delivery(second)]);
    assert.equal(again.retried, 1);
    stream.connect();
    await stream.readAll();
    assert.deepEqual(stream.page, [first, second]);
  });

  test('an older connection is replaced, and a revoked key ends the stream', async () => {
    const stream = new StreamFixture();
    await stream.read();
    const older = { orgId: ORG, connection: stream.connection, after: 0 };
    stream.connect();
    stream.pushes.length = 0;
    await stream.read();
    assert.equal(stream.pushes.length, 1, 'the older one is told to read');
    const command = { id: 'cmd', type: 'read-stream', ...older } as const;
    assert.deepEqual(await stream.worker.read(command), { outcome: 'replaced' });
    stream.configure({ isRevoked: true });
    stream.worker.reconfigure();
    const own = { ...command, connection: stream.connection };
    assert.deepEqual(await stream.worker.read(own), { outcome: 'gone' });
  });

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

  test('a position that an earlier owner has written late is given anew', async () => {
    const stream = new StreamFixture();
    const late = stream.record(0, { nudge: false });
    const before = stream.delivery(late);
    stream.own();
    stream.record(1, { nudge: false });
    stream.hide(late);
    await stream.readAll();
    // The write of the earlier owner, which was paused, lands now: its position is a lower one.
    const state = { ...before.state, revision: 2, position: 1 };
    stream.restore({ ...before, state });
    await stream.readAll();
    assert.deepEqual(stream.page.length, 2);
    assert.equal(stream.page.at(-1), late);
  });

  test('a position that lands late, when its owner’s successor is gone too, is given anew', async () => {
    const stream = new StreamFixture();
    const late = stream.record(0, { nudge: false });
    const before = stream.delivery(late);
    stream.own();
    const other = stream.record(1, { nudge: false });
    stream.hide(late);
    await stream.readAll();
    const position = FIRST_OWNER + 1;
    stream.restore({ ...before, state: { ...before.state, revision: 2, position } });
    stream.own();
    const next = stream.record(2, { nudge: false });
    await stream.readAll();
    assert.deepEqual(stream.page.toSorted(), [late, other, next].toSorted());
    await stream.acknowledge(next);
    assert.equal(stream.delivery(late).state.status, 'succeeded');
  });

  test('what an earlier owner has positioned unseen goes ahead of what is new', async () => {
    const stream = new StreamFixture();
    const late = stream.record(0, { nudge: false });
    const before = stream.delivery(late);
    stream.own();
    stream.hide(late);
    await stream.readAll();
    // Between the reads of this owner: a later event of the same entity waits already.
    stream.restore({ ...before, state: { ...before.state, revision: 2, position: 1 } });
    const next = stream.record(0, { nudge: false });
    await stream.readAll();
    assert.deepEqual(stream.page, [late, next]);
  });

  test('an event waits for no silence, however long a connection has lived by pushes', async () => {
    const stream = new StreamFixture();
    await stream.readAll();
    stream.pushes.length = 0;
    const isTold = async () => {
      stream.record(0);
      for (let turns = 0; turns < 5; turns++) await turn();
      const pushes = stream.pushes.splice(0);
      for (const { after, deliveries } of pushes) {
        if (deliveries.length > 0 && after === stream.after) stream.take(deliveries);
        else await stream.read();
      }
      return stream.page.length === stream.recorded.length;
    };
    for (let second = 0; second < 120; second++) {
      stream.clock.advance(1_000);
      assert.ok(await isTold(), `after ${second} s`);
    }
    // The connection knows nothing of another owner.
    stream.own();
    assert.ok(await isTold(), 'after a take-over');
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

  test('its state tells of the connection, and of what waits', async () => {
    const stream = new StreamFixture();
    const [first = ''] = [0, 1, 2].map((entity) => stream.record(entity, { nudge: false }));
    const state = () => stream.worker.describe(ORG);
    assert.deepEqual(await state(), { isConnected: false, waiting: 3, unacknowledged: 0 });
    await stream.readAll();
    await stream.acknowledge(first);
    assert.deepEqual(await state(), { isConnected: true, waiting: 2, unacknowledged: 2 });
    stream.worker.leave(stream.connection - 1);
    assert.equal((await state())?.isConnected, true, 'an older one has ended');
    stream.worker.leave(stream.connection);
    assert.equal((await state())?.isConnected, false);
    stream.own();
    assert.deepEqual(await state(), { isConnected: false, waiting: 2, unacknowledged: 2 });
    stream.configure({ isRevoked: true });
    stream.worker.reconfigure();
    assert.equal(await state(), null);
  });

  test('two acknowledgements a second are taken', () => {
    const { worker, clock } = new StreamFixture();
    assert.deepEqual(
      [1, 2, 3].map(() => worker.mayAcknowledge()),
      [true, true, false],
    );
    clock.advance(1_000);
    assert.equal(worker.mayAcknowledge(), true);
  });

  test('what waits of an earlier stream of its name is given up, whatever clocks say', async () => {
    const stream = new StreamFixture();
    const old = stream.record(0, { nudge: false });
    stream.generation = 7;
    const own = stream.record(1, { nudge: false });
    stream.connect();
    await stream.readAll();
    assert.deepEqual(stream.page, [own]);
    assert.equal(stream.delivery(old).state.status, 'failed');
    assert.equal(await stream.worker.sweep(ORG), false);
    stream.configure({ isRevoked: true });
    stream.worker.reconfigure();
    assert.equal(await stream.worker.sweep(ORG), true);
    assert.equal(stream.delivery(own).state.status, 'failed');
  });

  test('what a swept stream has written settles nothing of a later one of its name', async () => {
    const stream = new StreamFixture();
    const old = stream.record(0, { nudge: false });
    await stream.readAll();
    const place = `${stream.delivery(old).state.position}.${old}`;
    stream.configure({ isRevoked: true });
    await stream.sweep();
    assert.equal(stream.delivery(old).state.status, 'failed');
    stream.generation = 2;
    stream.connection = 0;
    stream.connect();
    const own = stream.record(0, { nudge: false });
    await stream.readAll();
    assert.deepEqual(stream.page, [own]);
    assert.equal(await stream.acknowledge(old, place), 0);
    assert.equal(stream.delivery(own).state.status, 'pending');
  });

  test('an organization that is not known yet is not recorded: no sweep may take it for gone', async () => {
    const stream = new StreamFixture();
    const waiting = stream.record(0, { nudge: false });
    const recorded = () => stream.database.find('streams', {}, {})[0];
    await stream.worker.unschedule([waiting]);
    assert.deepEqual([recorded() !== undefined, recorded()?.orgId], [true, undefined]);
    await stream.readAll();
    assert.equal(recorded()?.orgId, ORG);
  });

  test('connections of a stream that began anew are numbered anew', async () => {
    const stream = new StreamFixture();
    for (let connections = 0; connections < 3; connections++) stream.connect();
    await stream.read();
    const older = { orgId: ORG, connection: stream.connection, after: 0 };
    stream.generation = 2;
    stream.connection = 0;
    stream.connect();
    stream.clock.advance(1_000);
    const command = { id: 'cmd', type: 'read-stream', ...older } as const;
    assert.deepEqual(await stream.worker.read(command), { outcome: 'gone' });
    await stream.read();
  });
});

describe('the position of a stream', () => {
  test('never goes back with a clock, nor with an owner whose clock is behind', async () => {
    const stream = new StreamFixture();
    for (let n = 0; n < 3; n++) {
      stream.record(0, { nudge: false });
      await stream.readAll();
      stream.clock.setBack(60_000);
      stream.own();
    }
    assert.deepEqual(stream.page, stream.recorded);
  });

  test('never goes back within one tenure, whose worker was idle meanwhile', async () => {
    const stream = new StreamFixture();
    for (const count of [3, 1, 1]) {
      for (let n = 0; n < count; n++) stream.record(0, { nudge: false });
      await stream.readAll();
      await stream.settle(...stream.page);
      stream.reopen();
    }
    assert.deepEqual(stream.page, stream.recorded);
  });

  test('never goes back by an acknowledgement that an earlier owner writes late', async () => {
    const stream = new StreamFixture();
    const id = stream.record(0, { nudge: false });
    await stream.readAll();
    const arrive = stream.loseNextCommit();
    await assert.rejects(stream.acknowledge(id), /did not answer/);
    for (const isLate of [true, false]) {
      stream.own();
      stream.record(0, { nudge: false });
      await stream.readAll();
      await stream.settle(...stream.page);
      if (isLate) arrive();
    }
    assert.deepEqual(stream.page, stream.recorded);
  });

  const torn = ['its own worker', 'the next owner'].flatMap((by) =>
    [true, false].map((hasCursor) => ({ by, hasCursor })),
  );
  for (const { by, hasCursor } of torn) {
    const what = hasCursor ? 'completed' : 'taken back without its cursor';
    test(`of a commit that was executed in part is ${what}, by ${by}`, async () => {
      const stream = new StreamFixture();
      await stream.readAll();
      const [first, second] = [0, 0].map((entity) => stream.record(entity, { nudge: false }));
      const of = (write: Write) => ('update' in write ? write.filter._id : undefined);
      const isCursor = (write: Write) => 'update' in write && write.update === 'streams';
      stream.tearNextCommit((write) => of(write) === second || (hasCursor && isCursor(write)));
      await assert.rejects(stream.read(), /did not answer/);
      if (by === 'the next owner') stream.own();
      await stream.readAll();
      assert.deepEqual(stream.page, [first, second]);
    });
  }

  test('of a commit that was executed in part is completed, though an earlier try lands late', async () => {
    const stream = new StreamFixture();
    await stream.readAll();
    const [first, second] = [0, 0].map((entity) => stream.record(entity, { nudge: false }));
    const arrive = stream.loseNextCommit();
    await assert.rejects(stream.read(), /did not answer/);
    stream.tearNextCommit((write) => {
      return 'update' in write && (write.update === 'streams' || write.filter._id === second);
    });
    await assert.rejects(stream.read(), /did not answer/);
    arrive();
    await stream.readAll();
    assert.deepEqual(stream.page, [first, second]);
  });

  test('of a predecessor stays behind its own ones, after a page that was not positioned', async () => {
    const stream = new StreamFixture();
    await stream.readAll();
    const names = ['first', 'second', 'third'];
    const id = (name: string) => deliveryId(ids, name, STREAM);
    const outbox = names.map((name) => ({
      ...{ type: 'event', id: name, event: 'message.sent', data: {} },
    }));
    stream.database.apply({ insert: 'deals', document: { _id: 'deal', outbox } });
    const after = { collection: 'deals', id: 'deal', events: ['first', 'second'] };
    // The first one is recorded last, by its publication.
    stream.put(id('third'), streamOrder(1, 1), { after });
    stream.put(id('first'), streamOrder(1, 2));
    const arrive = stream.loseNextCommit();
    await assert.rejects(stream.read(), /did not answer/);
    arrive();
    await stream.readAll();
    assert.deepEqual(stream.page, names.map(id));
  });

  test('of what was given up and is sent again lies behind all', async () => {
    const stream = new StreamFixture();
    const [a = '', b = '', c = ''] = [0, 1, 2].map((entity) => stream.record(entity));
    await stream.readAll();
    stream.configure({ isRevoked: true });
    stream.worker.reconfigure();
    assert.equal(await stream.worker.sweep(ORG), true);
    stream.connect();
    stream.worker.reconfigure();
    for (const id of [c, a, b]) await stream.worker.retry(async () => [stream.delivery(id)]);
    await stream.readAll();
    assert.deepEqual(stream.page, [c, a, b]);
  });

  test('of what an earlier stream of its name had is none', async () => {
    const stream = new StreamFixture();
    const [a = '', b = '', c = ''] = [0, 1, 2].map((entity) => stream.record(entity));
    await stream.readAll();
    stream.generation = 2;
    stream.connection = 0;
    stream.connect();
    stream.clock.advance(1_000);
    assert.deepEqual([(await stream.read()).unacknowledged, stream.page], [0, []]);
    for (const id of [c, a, b]) await stream.worker.retry(async () => [stream.delivery(id)]);
    await stream.readAll();
    assert.deepEqual(stream.page, [c, a, b]);
  });

  test('is behind what a connection has read and acknowledged, also by another owner', async () => {
    const stream = new StreamFixture();
    const first = stream.record(0, { nudge: false });
    await stream.readAll();
    await stream.acknowledge(first);
    stream.own();
    const next = stream.record(0, { nudge: false });
    await stream.readAll();
    assert.deepEqual(stream.page, [first, next]);
  });

  test('in an id acknowledges up to it, also by another owner, and nothing that came later', async () => {
    const stream = new StreamFixture();
    const [first = ''] = [0, 1].map((entity) => stream.record(entity, { nudge: false }));
    await stream.readAll();
    const place = `${stream.delivery(first).state.position}.${first}`;
    assert.equal(await stream.acknowledge(first, place), 1);
    stream.own();
    stream.record(2, { nudge: false });
    stream.connect();
    await stream.readAll();
    for (const told of [place, first]) assert.equal(await stream.acknowledge(first, told), 0);
    assert.equal(stream.page.length, 2);
  });

  test('of a delivery that is sent again is a new one, behind all, in the order of retries', async () => {
    const stream = new StreamFixture();
    const [a = '', b = '', c = ''] = [0, 1, 2].map((entity) => stream.record(entity));
    await stream.readAll();
    const places = new Map([a, b].map((id) => [id, stream.delivery(id).state.position]));
    const results = [a, b].map((id) => ({ id, status: 500, ms: 1 }));
    const command = { id: 'ack', type: 'acknowledge-stream', orgId: ORG } as const;
    await stream.worker.acknowledge({ ...command, settled: { results } });
    const unread = stream.record(2, { nudge: false });
    for (const id of [b, a]) await stream.worker.retry(async () => [stream.delivery(id)]);
    stream.connect();
    // What the client knows of `a` is its first place: `c` and `unread` are not settled by it.
    for (const told of [a, `${places.get(a)}.${a}`]) {
      assert.equal(await stream.acknowledge(a, told), 0);
    }
    stream.acknowledged.clear();
    await stream.readAll();
    assert.deepEqual(stream.page, [c, unread, b, a]);
  });
});

describe('what a stream has dropped', () => {
  test('before its first connection reads is told to that one', async () => {
    const stream = new StreamFixture(10);
    for (let n = 0; n < 14; n++) stream.record(0, { nudge: false });
    stream.worker.wake();
    while ((await stream.worker.describe(ORG))?.waiting !== 10) await turn();
    assert.equal((await stream.read()).dropped, 4);
  });

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

test('an event is written only where the key reaches it now, whatever it reached before', async () => {
  const stream = new StreamFixture();
  const [mine = '', other = ''] = ['chn_1', 'chn_2'].map((channelId, entity) =>
    stream.record(entity, { nudge: false, channelId }),
  );
  await stream.readAll();
  const later = stream.record(2, { nudge: false, channelId: 'chn_2' });
  stream.configure({ channelId: 'chn_1' });
  stream.worker.reconfigure();
  stream.connection -= 1;
  stream.connect();
  stream.configure({ channelId: 'chn_1' });
  await stream.readAll();
  assert.deepEqual(stream.page, [mine]);
  for (const id of [other, later]) {
    const { status, attempts } = stream.delivery(id).state;
    assert.deepEqual([status, attempts.at(-1)?.error?.split(':')[0]], ['failed', 'scope']);
  }
});

test('a key that is narrowed reaches no more after a second, also where its nudge is lost', async () => {
  const stream = new StreamFixture();
  await stream.readAll();
  stream.configure({ channelId: 'chn_1' });
  stream.clock.advance(1_000);
  const other = stream.record(0, { nudge: false, channelId: 'chn_2' });
  const mine = stream.record(1, { nudge: false, channelId: 'chn_1' });
  await stream.readAll();
  assert.deepEqual(stream.page, [mine]);
  assert.equal(stream.delivery(other).state.status, 'failed');
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

test('an owner whose tenure is over writes nothing', async () => {
  const stream = new StreamFixture();
  stream.record(0, { nudge: false });
  stream.worker.close();
  await assert.rejects(stream.read());
});

test('an owner whose tenure ends during a write tells nothing of it', async () => {
  const stream = new StreamFixture();
  stream.record(0, { nudge: false });
  const apply = stream.database.apply.bind(stream.database);
  stream.database.apply = (write) => {
    stream.worker.close();
    return apply(write);
  };
  await assert.rejects(stream.read(), /lease has ended/);
  assert.deepEqual(stream.page, []);
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
