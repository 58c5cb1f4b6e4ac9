/**
 * Event streams. Each recorded event reaches a connection at least once, with the same bytes and in
 * the order of its entity. An acknowledged one never comes again. Owners crash, nudges get lost.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { Filter, FindOptions, Stored } from '../../../../support/plain-store.ts';
import { pluck } from '../../../../support/pluck.ts';
import { ENTITIES, ORG, StreamFixture } from './fixture.ts';

const RUNS = 200;

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

  test('its state tells of the connection, and of what waits', async () => {
    const stream = new StreamFixture();
    const [first = ''] = [0, 1, 2].map((entity) => stream.record(entity, { nudge: false }));
    const state = () => stream.worker.describe(ORG);
    assert.deepEqual(await state(), { isConnected: false, waiting: 3, unacknowledged: 0 });
    await stream.readAll();
    await stream.acknowledge(first);
    assert.deepEqual(await state(), { isConnected: true, waiting: 2, unacknowledged: 2 });
    const { connection, generation } = stream;
    const { reader } = stream.worker;
    reader.leave({ connection: connection - 1, generation });
    assert.equal((await state())?.isConnected, true, 'an older one has ended');
    reader.leave({ connection: connection + 1, generation: generation - 1 });
    assert.equal((await state())?.isConnected, true, 'one of an earlier stream has ended');
    reader.leave({ connection, generation });
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
      [1, 2, 3].map(() => worker.reader.mayAcknowledge(clock.monotonic())),
      [true, true, false],
    );
    clock.advance(1_000);
    assert.equal(worker.reader.mayAcknowledge(clock.monotonic()), true);
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
    stream.beginAnew();
    const own = stream.record(0, { nudge: false });
    await stream.readAll();
    assert.deepEqual(stream.page, [own]);
    assert.equal(await stream.acknowledge(old, place), 0);
    assert.equal(stream.delivery(own).state.status, 'pending');
  });

  for (const reads of [0, 1, 2]) {
    test(`a sweep leaves what a stream has that began anew after ${reads} of its reads`, async () => {
      const stream = new StreamFixture();
      const old = stream.record(0, { nudge: false });
      await stream.readAll();
      stream.configure({ isRevoked: true });
      stream.worker.reconfigure();
      assert.equal(await stream.worker.describe(ORG), null);
      let own = '';
      const begin = () => {
        stream.beginAnew();
        own = stream.record(1, { nudge: false });
      };
      const findOne = stream.database.findOne.bind(stream.database);
      // What was read before is old; otherwise it is not read again by itself.
      if (reads > 0) stream.clock.advance(1_000);
      let left = reads;
      stream.database.findOne = <T extends Stored>(
        collection: string,
        filter: Filter,
        options?: FindOptions,
      ) => {
        const found = findOne<T>(collection, filter, options);
        if (collection === 'organizations' && --left === 0) begin();
        return found;
      };
      if (reads === 0) begin();
      const hasEnded = await stream.worker.sweep(ORG);
      left = 0;
      if (own === '') begin();
      assert.equal(stream.delivery(own).state.status, 'pending');
      assert.equal(stream.delivery(old).state.status, hasEnded ? 'failed' : 'pending');
      await stream.readAll();
      assert.deepEqual(stream.page, [own]);
      assert.equal(stream.delivery(old).state.status, 'failed');
    });
  }

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
    stream.beginAnew();
    stream.clock.advance(1_000);
    const command = { id: 'cmd', type: 'read-stream', ...older } as const;
    assert.deepEqual(await stream.worker.read(command), { outcome: 'gone' });
    await stream.read();
  });

  test('a connection of an ended stream reads nothing of the next one of its name', async () => {
    const stream = new StreamFixture();
    await stream.read();
    const older = stream.reading();
    stream.configure({ isRevoked: true });
    stream.beginAnew();
    assert.equal(older.connection, stream.connection);
    stream.clock.advance(1_000);
    stream.pushes.length = 0;
    const own = stream.record(0);
    for (let turns = 0; turns < 5; turns++) await turn();
    assert.deepEqual(pluck(stream.pushes, 'deliveries'), [[]], 'it is made to read');
    assert.deepEqual(await stream.worker.read(older), { outcome: 'gone' });
    await stream.readAll();
    assert.deepEqual(await stream.worker.read(older), { outcome: 'gone' });
    assert.deepEqual(stream.page, [own]);
  });

  test('the first connection of a stream that began anew reads at once', async () => {
    const stream = new StreamFixture();
    await stream.read();
    stream.beginAnew();
    const own = stream.record(0, { nudge: false });
    await stream.readAll();
    assert.deepEqual(stream.page, [own]);
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
