/**
 * Recording of events by a stream's owner: each once, whoever asks how often, in an order that no
 * paused owner disturbs. A stream that has ended records nothing; one that has just begun does.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PublishedEvent } from '../../../../../actors/domain/published-event.ts';
import type { DeliveryDocument } from '../../../../../actors/model/subscription.ts';
import { AGAIN } from '../../../../../actors/subscription/streams/predecessors.ts';
import { streamOrder } from '../../../../../actors/subscription/streams/recorder.ts';
import { deliveryId } from '../../../../../shared/entity-ids.ts';
import { EVENT_STREAM_RETENTION_MS } from '../../../../../shared/limits.ts';
import { ids } from '../../../../faults/fencing/environment.ts';
import { ORG, STREAM, StreamFixture } from './fixture.ts';

function eventOf(id: string): PublishedEvent {
  return { type: 'event', id, event: 'message.sent', data: { id } };
}

const idOf = (eventId: string) => deliveryId(ids, eventId, STREAM);

function recorded({ database }: StreamFixture): readonly DeliveryDocument[] {
  return database.all('deliveries') as readonly DeliveryDocument[];
}

/** Events in the order of their places. */
function inOrder(stream: StreamFixture): readonly string[] {
  return recorded(stream)
    .toSorted((a, b) => ((a.order ?? '') < (b.order ?? '') ? -1 : 1))
    .map(({ body }) => JSON.parse(body).data.id);
}

/** The worker of an owner that has lost its lease, as it may go on after a pause. */
function paused(stream: StreamFixture) {
  const { worker } = stream;
  stream.own();
  return (id: string) =>
    worker.record({
      ...{ id: 'rec', type: 'record-events', orgId: ORG, generation: stream.generation },
      events: [eventOf(id)],
    });
}

describe('an event', () => {
  test('that is asked again is recorded once, and never comes back', async () => {
    const stream = new StreamFixture();
    await stream.ask([eventOf('a'), eventOf('b')]);
    await stream.readAll();
    await stream.acknowledge(idOf('a'));
    await stream.ask([eventOf('a'), eventOf('b')]);
    stream.own();
    await stream.ask([eventOf('a'), eventOf('b')]);
    stream.connect();
    await stream.readAll();
    assert.deepEqual(stream.page, [idOf('b')]);
    assert.equal(recorded(stream).length, 2);
  });

  test('has a place behind all that were recorded before, by any owner or worker', async () => {
    const stream = new StreamFixture();
    for (let n = 0; n < 12; n++) {
      if (n % 3 === 1) stream.own();
      if (n % 3 === 2) stream.reopen();
      await stream.ask([eventOf(`${n}`), eventOf(`${n} too`)]);
    }
    const ids = Array.from({ length: 12 }, (_, n) => [`${n}`, `${n} too`]);
    assert.deepEqual(inOrder(stream), ids.flat());
  });

  test('has a place behind those of an organization’s owner, before a later one that is sent again', async () => {
    const stream = new StreamFixture();
    const before = '9999999999.99999999999999';
    stream.put('dlv_before', before);
    stream.put('dlv_again', `${before}${AGAIN}${2 ** 52}`);
    await stream.ask([eventOf('now')]);
    await stream.readAll();
    assert.deepEqual(stream.page, ['dlv_before', 'dlv_again', idOf('now')]);
    const place = streamOrder(1, 5);
    assert.ok(place < `${place}${AGAIN}1` && `${place}${AGAIN}1` < streamOrder(1, 6));
  });

  test('is told to the connection at once', async () => {
    const stream = new StreamFixture();
    await stream.readAll();
    stream.pushes.length = 0;
    await stream.ask([eventOf('a')]);
    while (stream.pushes.length === 0) await new Promise(setImmediate);
    assert.deepEqual(
      stream.pushes.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)),
      [idOf('a')],
    );
  });

  test('is not answered unless it is on record', async () => {
    const stream = new StreamFixture();
    stream.loseNextCommit();
    await assert.rejects(stream.ask([eventOf('a')]), /did not answer/);
    assert.equal(recorded(stream).length, 0);
  });
});

describe('an owner that was paused', () => {
  test('gives no place after its lease: an event behind others would go ahead of them', async () => {
    const stream = new StreamFixture();
    await stream.ask([eventOf('earlier')]);
    const late = paused(stream);
    await stream.ask([eventOf('first')]);
    await assert.rejects(late('second'), /tenure .* over/);
    await stream.ask([eventOf('second')]);
    assert.deepEqual(inOrder(stream), ['earlier', 'first', 'second']);
  });

  test('does not answer for what it records late: the next owner is asked, and tells of it', async () => {
    const stream = new StreamFixture();
    await stream.readAll();
    stream.insertsOneByOne = true;
    const asked = stream.ask([eventOf('a')]);
    asked.catch(() => undefined);
    while (recorded(stream).length === 0) await new Promise(setImmediate);
    stream.own();
    await assert.rejects(asked, /tenure .* over/);
    stream.pushes.length = 0;
    await stream.ask([eventOf('a')]);
    while (stream.pushes.length === 0) await new Promise(setImmediate);
    await stream.readAll();
    assert.deepEqual(stream.page, [idOf('a')]);
    assert.equal(recorded(stream).length, 1);
  });

  test('makes an insert that its successor has made before for nothing', async () => {
    const stream = new StreamFixture();
    const land = stream.loseNextCommit();
    await assert.rejects(stream.ask([eventOf('a')]), /did not answer/);
    stream.own();
    await stream.ask([eventOf('a')]);
    await stream.readAll();
    await stream.acknowledge(idOf('a'));
    land();
    stream.connect();
    await stream.readAll();
    assert.deepEqual(stream.page, []);
    assert.equal(stream.delivery(idOf('a')).state.status, 'succeeded');
  });
});

describe('a stream', () => {
  test('that has ended records nothing, and the event counts as recorded', async () => {
    const stream = new StreamFixture();
    await stream.readAll();
    stream.configure({ isRevoked: true });
    stream.worker.reconfigure();
    await stream.ask([eventOf('a')]);
    stream.configure();
    stream.worker.reconfigure();
    stream.clock.advance(EVENT_STREAM_RETENTION_MS);
    await stream.ask([eventOf('b')]);
    assert.equal(recorded(stream).length, 0);
  });

  test('that began anew records nothing that an earlier one of its name has heard', async () => {
    const stream = new StreamFixture();
    await stream.readAll();
    stream.generation = 2;
    stream.connect();
    await stream.readAll();
    await stream.ask([eventOf('old')], 1);
    await stream.ask([eventOf('new')]);
    assert.deepEqual(inOrder(stream), ['new']);
    assert.equal(stream.delivery(idOf('new')).generation, 2);
  });

  test('that has just begun records at once, whatever its owner has read before', async () => {
    const stream = new StreamFixture();
    stream.configure({ isRevoked: true });
    stream.worker.reconfigure();
    await stream.ask([eventOf('before')]);
    stream.configure();
    await stream.ask([eventOf('after')]);
    assert.deepEqual(inOrder(stream), ['after']);
  });

  test('records what the asking process lets it hear, before its owner knows of a wider scope', async () => {
    const stream = new StreamFixture();
    stream.configure({ channelId: 'chn_1', events: ['deal.won'] });
    await stream.ask([eventOf('a')]);
    stream.configure();
    await stream.ask([eventOf('b')]);
    assert.deepEqual(inOrder(stream), ['a', 'b']);
  });
});
