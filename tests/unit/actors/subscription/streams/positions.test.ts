/**
 * Positions that a stream's owner gives: they rise, whatever earlier owners and lost writes leave,
 * so that an acknowledgement settles nothing that its client has not seen.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { streamOrder } from '../../../../../actors/subscription/streams/recorder.ts';
import { deliveryId } from '../../../../../shared/entity-ids.ts';
import { ids } from '../../../../faults/fencing/environment.ts';
import type { Write } from '../../../../support/plain-store.ts';
import { ORG, STREAM, StreamFixture } from './fixture.ts';

/** Where the first owner of a stream begins. */
const FIRST_OWNER = 2 ** 51 + 10_000;

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

  test('of a commit without an answer goes ahead of what is new, though it lands behind a read', async () => {
    const stream = new StreamFixture();
    await stream.readAll();
    stream.clock.advance(60_000);
    const first = stream.record(0, { nudge: false });
    const arrive = stream.loseNextCommit();
    await assert.rejects(stream.read(), /did not answer/);
    // The same owner reads its positions again before the lost one is there.
    await stream.acknowledge('dlv_of_nobody');
    arrive();
    const next = stream.record(0, { nudge: false });
    await stream.readAll();
    assert.deepEqual(stream.page, [first, next]);
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
    const after = { collection: 'deals', id: 'deal', events: ['first', 'second'] } as const;
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
    stream.beginAnew();
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

  test('that an earlier owner has written late is given anew', async () => {
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

  test('that lands late, when its owner’s successor is gone too, is given anew', async () => {
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

  test('that an earlier owner has given unseen goes ahead of what is new', async () => {
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
});
