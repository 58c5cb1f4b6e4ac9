/** What a desk knows, what is old, and what is taken away, in memory (D37, D43). */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { changed } from '../../actors/subscription/documents.ts';
import { removeExpiredDeliveries } from '../../actors/subscription/retention.ts';
import { DELIVERIES_KEPT_MS } from '../../shared/limits.ts';
import { answered, Scene } from './scene.ts';

const HOUR_MS = 3_600_000;

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.owned('a');
});

describe('what is known and what is old', () => {
  test('a nudge that comes late makes no second attempt', async () => {
    const delivery = scene.record('a');
    await scene.settle();
    assert.equal(scene.posts.length, 1);
    scene.nudge(delivery);
    await scene.pass(6_000);
    scene.nudge(delivery);
    await scene.pass(60_000);
    scene.nudge(delivery);
    await scene.pass(60_000);
    assert.equal(scene.posts.length, 1);
    assert.equal(scene.deliveries('succeeded').length, 1);
  });

  test('a nudge that is lost costs 5 s', async () => {
    scene.record('a', { nudge: false });
    await scene.pass(5_000);
    assert.equal(scene.posts.length, 1);
  });

  test('a superseded owner covers nothing: what it still writes is older', async () => {
    let release = (): void => undefined;
    scene.answers = () =>
      new Promise((resolve) => {
        release = () => resolve(answered(500));
      });
    const { _id } = scene.record('a');
    await scene.settle();
    await scene.own();
    scene.answers = () => answered(200);
    await scene.pass(15_000);
    assert.equal(scene.deliveries('succeeded').length, 1);
    release();
    await scene.settle();
    const [delivery] = scene.deliveries();
    assert.equal(delivery?._id, _id);
    assert.deepEqual([delivery?.state.status, delivery?.state.counted], ['succeeded', 2]);
    assert.deepEqual(
      delivery?.state.attempts.map(({ error }) => error),
      ['interrupted', null],
    );
  });

  test('an outcome that the owner before recorded late is not attempted again', async () => {
    let release = (): void => undefined;
    scene.answers = () =>
      new Promise((resolve) => {
        release = () => resolve(answered(200));
      });
    scene.record('a');
    await scene.settle();
    await scene.own();
    release();
    await scene.pass(60_000);
    assert.equal(scene.posts.length, 1);
    assert.equal(scene.deliveries('succeeded').length, 1);
  });

  test('a retry by hand while an attempt is under way is made after it', async () => {
    let release = (): void => undefined;
    scene.answers = () =>
      new Promise((resolve) => {
        release = () => resolve(answered(500));
      });
    const { _id } = scene.record('a');
    await scene.settle();
    assert.deepEqual(await scene.ask('a', { type: 'retry', deliveryIds: [_id] }), {
      retried: 1,
      nextSince: null,
    });
    scene.answers = () => answered(200);
    release();
    await scene.settle();
    const [delivery] = scene.deliveries();
    assert.equal(scene.posts.length, 2);
    assert.deepEqual([delivery?.state.status, delivery?.state.counted], ['succeeded', 1]);
  });

  test('an idle minute asks the record no more than 15 times', async () => {
    scene.record('a');
    await scene.pass(120_000);
    scene.store.calls = 0;
    await scene.pass(60_000);
    assert.ok(scene.store.calls <= 15, `${scene.store.calls} calls`);
  });
});

test('a test event is one attempt, and recorded like any other', async () => {
  scene.subscription('a', { enabled: false });
  scene.answers = () => answered(500);
  const told = await scene.ask('a', { type: 'test' });
  const [delivery] = scene.deliveries('failed');
  assert.deepEqual(told, { deliveryId: delivery?._id });
  assert.equal(delivery?.event, 'subscription.test');
  assert.equal(Reflect.get(Object(JSON.parse(delivery?.body ?? '')), 'event'), 'subscription.test');
  await scene.pass(60_000);
  assert.equal(scene.posts.length, 1);
});

test('what ended 30 days ago is swept; what is parked or ended since stays', async () => {
  const { clock, store } = scene;
  scene.record('a');
  await scene.settle();
  const old = scene.record('a', { nudge: false, parked: true });
  const retried = scene.record('a', { nudge: false, parked: true });
  const failed = { ...retried.state, status: 'failed' as const };
  store.put('deliveries', changed(retried, failed, { epoch: 1, now: clock.now() + HOUR_MS }));
  const later = { store, clock: { ...clock, now: () => clock.now() + DELIVERIES_KEPT_MS + 1 } };
  const world = later as unknown as Parameters<typeof removeExpiredDeliveries>[0];
  assert.equal(await removeExpiredDeliveries(world, () => false), 0, 'another process owns them');
  assert.equal(await removeExpiredDeliveries(world, () => true), 1);
  assert.deepEqual(
    scene.deliveries().map(({ _id }) => _id),
    [old._id, retried._id],
  );
  await scene.pass(DELIVERIES_KEPT_MS + 2 * HOUR_MS, HOUR_MS);
  assert.equal(scene.deliveries().length, 1, 'the owner sweeps by itself');
});
