/**
 * Delivery worker in memory: the deliveries it knows, stale reads, and deliveries removed meanwhile
 * (D37, D43).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changed } from '../../../../../actors/subscription/deliveries/documents.ts';
import { removeExpiredDeliveries } from '../../../../../actors/subscription/deliveries/retention.ts';
import { DELIVERIES_RETENTION_MS } from '../../../../../shared/limits.ts';
import type { PostOutcome } from '../../../../../shared/ports/outbound.ts';
import {
  answered,
  DeliveryFixture,
} from '../../../../support/actors/subscription/delivery-fixture.ts';
import { pluck } from '../../../../support/pluck.ts';

const HOUR_MS = 3_600_000;

const fixture = DeliveryFixture.ofEachTest('a');

/** The subscriber answers once it is released. */
function answersLate(status: number): () => void {
  const { promise, resolve } = Promise.withResolvers<PostOutcome>();
  fixture.answers = () => promise;
  return () => resolve(answered(status));
}

describe('what is known and what is old', () => {
  test('a nudge that comes late makes no second attempt', async () => {
    const delivery = fixture.record('a');
    await fixture.settle();
    assert.equal(fixture.posts.length, 1);
    for (const laterMs of [6_000, 60_000, 60_000]) {
      fixture.nudge(delivery);
      await fixture.pass(laterMs);
    }
    assert.equal(fixture.posts.length, 1);
    assert.equal(fixture.deliveries('succeeded').length, 1);
  });

  test('a nudge that is lost costs 5 s', async () => {
    fixture.record('a', { nudge: false });
    await fixture.pass(5_000);
    assert.equal(fixture.posts.length, 1);
  });

  test('a superseded owner covers nothing: what it still writes is older', async () => {
    const release = answersLate(500);
    const { _id } = fixture.record('a');
    await fixture.settle();
    await fixture.own();
    fixture.answers = () => answered(200);
    await fixture.pass(15_000);
    assert.equal(fixture.deliveries('succeeded').length, 1);
    release();
    await fixture.settle();
    const [delivery] = fixture.deliveries();
    assert.equal(delivery?._id, _id);
    assert.deepEqual([delivery?.state.status, delivery?.state.counted], ['succeeded', 2]);
    assert.deepEqual(pluck(delivery?.state.attempts, 'error'), ['interrupted', null]);
  });

  test('an outcome that the owner before recorded late is not attempted again', async () => {
    const release = answersLate(200);
    fixture.record('a');
    await fixture.settle();
    await fixture.own();
    release();
    await fixture.pass(60_000);
    assert.equal(fixture.posts.length, 1);
    assert.equal(fixture.deliveries('succeeded').length, 1);
  });

  test('a retry by hand while an attempt is under way is made after it', async () => {
    const release = answersLate(500);
    const { _id } = fixture.record('a');
    await fixture.settle();
    const retried = await fixture.ask('a', { type: 'retry', deliveryIds: [_id] });
    assert.deepEqual(retried, { retried: 1, nextSince: null, until: null });
    fixture.answers = () => answered(200);
    release();
    await fixture.settle();
    const [delivery] = fixture.deliveries();
    assert.equal(fixture.posts.length, 2);
    assert.deepEqual([delivery?.state.status, delivery?.state.counted], ['succeeded', 1]);
  });

  test('what is sent by hand goes to the URL that was just applied', async () => {
    fixture.answers = () => answered(500);
    const { _id } = fixture.record('a');
    await fixture.settle();
    // The owner has not been told yet that the URL changed.
    fixture.subscription('a', { url: 'http://127.0.0.1/retried' });
    await fixture.ask('a', { type: 'retry', deliveryIds: [_id] });
    fixture.subscription('a', { url: 'http://127.0.0.1/tested' });
    await fixture.ask('a', { type: 'test' });
    const urls = fixture.posts.map(({ url }) => url.replace('http://127.0.0.1/', ''));
    assert.deepEqual(urls, ['a', 'retried', 'tested']);
  });

  test('an idle minute asks the record no more than 15 times', async () => {
    fixture.record('a');
    await fixture.pass(120_000);
    fixture.store.calls = 0;
    await fixture.pass(60_000);
    assert.ok(fixture.store.calls <= 15, `${fixture.store.calls} calls`);
  });
});

test('a test event is one attempt, and recorded like any other', async () => {
  fixture.subscription('a', { enabled: false });
  fixture.answers = () => answered(500);
  const told = await fixture.ask('a', { type: 'test' });
  const [delivery] = fixture.deliveries('failed');
  assert.deepEqual(told, { deliveryId: delivery?._id });
  assert.equal(delivery?.event, 'subscription.test');
  assert.equal(Reflect.get(Object(JSON.parse(delivery?.body ?? '')), 'event'), 'subscription.test');
  await fixture.pass(60_000);
  assert.equal(fixture.posts.length, 1);
});

test('what ended 30 days ago is swept; what is parked or ended since stays', async () => {
  const { clock, store } = fixture;
  fixture.record('a');
  await fixture.settle();
  const old = fixture.record('a', { nudge: false, parked: true });
  const retried = fixture.record('a', { nudge: false, parked: true });
  const failed = { ...retried.state, status: 'failed' as const };
  store.put('deliveries', changed(retried, failed, { epoch: 1, now: clock.now() + HOUR_MS }));
  const later = {
    store,
    clock: { ...clock, now: () => clock.now() + DELIVERIES_RETENTION_MS + 1 },
  };
  const environment = later as unknown as Parameters<typeof removeExpiredDeliveries>[0];
  const ofOthers = await removeExpiredDeliveries(environment, () => false);
  assert.equal(ofOthers, 0, 'another process owns them');
  assert.equal(await removeExpiredDeliveries(environment, () => true), 1);
  assert.deepEqual(pluck(fixture.deliveries(), '_id'), [old._id, retried._id]);
  await fixture.pass(DELIVERIES_RETENTION_MS + 2 * HOUR_MS, HOUR_MS);
  assert.equal(fixture.deliveries().length, 1, 'the owner sweeps by itself');
});
