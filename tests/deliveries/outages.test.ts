/** Outages over long times and changes of owner, in memory (D40, D42). */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { BreakerDocument } from '../../actors/subscription/breaker-record.ts';
import { answered, Scene, timedOut } from './scene.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.owned('a', 'b');
});

/** Twelve deliveries fail: the breaker opens. */
async function openBreaker(): Promise<void> {
  scene.answers = (url) => answered(url.endsWith('/a') ? 500 : 200);
  for (let n = 0; n < 12; n++) scene.record('a');
  await scene.settle();
}

const breaker = () => scene.store.all<BreakerDocument>('breakers')[0]?.state;
const stateOf = ({ _id }: { readonly _id: string }) =>
  scene.deliveries().find((each) => each._id === _id)?.state;
const postsOf = (url: string) => scene.posts.filter((each) => each.url.endsWith(url));

describe('the breaker', () => {
  test('it parks what is due without spending attempts, and harms no other subscription', async () => {
    await openBreaker();
    assert.equal(breaker()?.breaker.open?.waitMs, 30_000);
    const before = postsOf('/a').length;
    for (let n = 0; n < 20; n++) scene.record('a');
    scene.record('b');
    await scene.settle();
    assert.equal(postsOf('/a').length, before);
    assert.equal(postsOf('/b').length, 1);
    const parked = scene.deliveries('parked');
    assert.ok(parked.length >= 20);
    assert.ok(parked.every(({ state }) => state.counted <= 1));
  });

  test('one probe after 30 s, then after twice the wait, up to 10 minutes', async () => {
    await openBreaker();
    const openedAt = scene.clock.now();
    const before = postsOf('/a').length;
    await scene.pass(45 * 60_000);
    const probes = postsOf('/a').slice(before);
    const waits = probes.map((each, n) => (each.at - (probes[n - 1]?.at ?? openedAt)) / 1_000);
    assert.deepEqual(waits, [30, 60, 120, 240, 480, 600, 600]);
    assert.equal(new Set(probes.map(({ id }) => id)).size, 7, 'each time another one');
    assert.ok(scene.deliveries().every(({ state }) => state.counted <= 2));
  });

  test('a success closes it, and what was parked follows, oldest first', async () => {
    await openBreaker();
    for (let n = 0; n < 450; n++) {
      scene.record('a');
      if (n % 50 === 0) await scene.pass(10, 10);
    }
    await scene.settle();
    scene.answers = () => answered(200);
    const before = postsOf('/a').length;
    await scene.pass(120_000);
    assert.equal(scene.deliveries('succeeded').length, 462);
    const after = postsOf('/a')
      .slice(before)
      .map(({ id }) => id);
    assert.equal(new Set(after).size, after.length, 'each once');
    const late = after.filter((id, n) => id < (after[n - 1] ?? ''));
    assert.ok(late.length < 40, `${late.length} came after younger ones`);
    assert.equal(breaker()?.active, false);
  });

  test('a retry by hand goes past it and closes it if it succeeds', async () => {
    await openBreaker();
    scene.record('a');
    scene.record('a');
    await scene.settle();
    const parked = scene.deliveries('parked').at(-1);
    assert.ok(parked);
    const before = postsOf('/a').length;
    const order = { type: 'retry', deliveryIds: [parked._id] };
    assert.deepEqual(await scene.ask('a', order), { retried: 1, nextSince: null });
    assert.equal(postsOf('/a').length, before + 1);
    const failed = scene.deliveries().find(({ _id }) => _id === parked._id);
    assert.deepEqual([failed?.state.status, failed?.state.counted], ['parked', 0]);
    scene.answers = () => answered(200);
    const another = scene.deliveries('parked').find(({ _id }) => _id !== parked._id);
    await scene.ask('a', { type: 'retry', deliveryIds: [another?._id] });
    assert.equal(breaker()?.breaker.open, null);
    await scene.pass(60_000);
    assert.equal(scene.deliveries('succeeded').length, 14);
  });

  test('five time-outs in a row open it too', async () => {
    scene.answers = () => timedOut;
    for (let n = 0; n < 8; n++) scene.record('a');
    await scene.settle();
    assert.notEqual(breaker()?.breaker.open ?? null, null);
  });

  test('the next owner goes on with it: no attempt before the probe is due', async () => {
    await openBreaker();
    const openedAt = scene.clock.now();
    const before = postsOf('/a').length;
    await scene.pass(10_000);
    await scene.own();
    await scene.pass(19_000);
    assert.equal(postsOf('/a').length, before);
    scene.answers = () => answered(200);
    await scene.pass(60_000);
    const [probe] = postsOf('/a').slice(before);
    assert.equal((probe?.at ?? 0) - openedAt, 30_000);
    assert.equal(scene.deliveries('succeeded').length, 12);
  });

  test('the next owner also goes on with taking up what was parked', async () => {
    await openBreaker();
    for (let n = 0; n < 900; n++) scene.record('a');
    await scene.settle();
    let taken = 0;
    scene.answers = () => {
      taken++;
      return taken > 100 ? new Promise(() => undefined) : answered(200);
    };
    await scene.pass(31_000);
    assert.ok(scene.deliveries('parked').length > 500);
    scene.answers = () => answered(200);
    await scene.own();
    await scene.pass(120_000);
    assert.equal(scene.deliveries('succeeded').length, 912);
  });
});

describe('disabling and enabling', () => {
  test('five days without one success disable it, silence does not', async () => {
    scene.answers = (url) => answered(url.endsWith('/a') ? 500 : 200);
    scene.record('b');
    for (let hour = 0; hour <= 5 * 24 + 1; hour++) {
      scene.record('a');
      await scene.pass(HOUR_MS, 300_000);
      if (hour < 5 * 24 - 1) assert.deepEqual(scene.disabled, []);
    }
    assert.deepEqual(scene.disabled, ['failing']);
    const before = postsOf('/a').length;
    await scene.pass(DAY_MS, 300_000);
    assert.equal(postsOf('/a').length, before, 'nothing is sent any more');
  });

  test('410 disables; what was in hand is parked', async () => {
    scene.answers = () => answered(410);
    for (let n = 0; n < 30; n++) scene.record('a');
    await scene.settle();
    assert.deepEqual(scene.disabled, ['gone']);
    assert.equal(postsOf('/a').length, 8, 'those that were under way');
    assert.equal(scene.deliveries('failed').length, 8);
    assert.equal(scene.deliveries('parked').length, 22);
  });

  test('enabled again: a fresh breaker, and what was parked waits for a retry by hand', async () => {
    await openBreaker();
    scene.record('a');
    await scene.settle();
    scene.subscription('a', { enabled: false, disabledReason: 'failing' });
    await scene.pass(60_000);
    const parked = scene.record('a', { parked: true, nudge: false });
    scene.subscription('a', { enabled: true, enabledAt: scene.clock.now() });
    await scene.ask('a', { type: 'configure' });
    scene.answers = () => answered(200);
    const before = postsOf('/a').length;
    scene.record('a');
    await scene.pass(11 * 60_000);
    assert.equal(postsOf('/a').length, before + 1, 'the new one alone');
    const order = { type: 'retry', since: 0, until: scene.clock.now() };
    assert.deepEqual(await scene.ask('a', order), { retried: 14, nextSince: null });
    await scene.pass(5_000);
    assert.equal(scene.deliveries('succeeded').length, 15);
    assert.ok(postsOf('/a').some(({ id }) => id === parked._id));
  });

  test('a new address begins anew, and gets what was parked', async () => {
    await openBreaker();
    scene.subscription('a', { url: 'http://127.0.0.1/new' });
    await scene.ask('a', { type: 'configure' });
    await scene.pass(12_000);
    assert.equal(scene.deliveries('succeeded').length, 12);
    assert.equal(postsOf('/new').length, 12);
  });

  test('one that is taken away gets nothing more: what is due of it fails', async () => {
    await openBreaker();
    const aside = scene.record('a');
    await scene.settle();
    const before = scene.posts.length;
    assert.equal(before, 12);
    scene.subscription('a', { removed: true });
    await scene.ask('a', { type: 'configure' });
    // It would take them now.
    scene.answers = () => answered(200);
    const late = scene.record('a');
    await scene.pass(2_000);
    assert.equal(stateOf(late)?.status, 'failed', 'what was on its way fails at once');
    await scene.pass(20_000);
    const twelve = scene.deliveries().filter(({ _id }) => ![aside._id, late._id].includes(_id));
    assert.equal(twelve.length, 12);
    for (const { state } of twelve) {
      assert.deepEqual([state.status, state.counted, state.attempts.length], ['failed', 1, 1]);
      assert.equal(state.nextAttemptAt, null, 'no attempt is due');
      assert.ok(state.endedAt, 'its time in the record runs');
    }
    // Neither a probe's time, nor a retry by hand, nor another owner gets it a POST.
    await scene.pass(60_000);
    await scene.ask('a', { type: 'retry', deliveryIds: [aside._id, late._id] });
    await scene.own();
    await scene.pass(11 * 60_000);
    assert.equal(scene.posts.length, before, 'no POST was made');
    assert.deepEqual(
      [aside, late].map((each) => stateOf(each)?.counted),
      [0, 0],
    );
    assert.ok(!scene.deliveries().some(({ state }) => state.status === 'succeeded'));
  });
});
