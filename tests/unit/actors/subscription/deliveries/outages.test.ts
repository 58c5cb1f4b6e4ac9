/** Outages over long times and changes of owner, in memory (D40, D42). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BreakerDocument } from '../../../../../actors/model/subscription.ts';
import {
  answered,
  DeliveryFixture,
  timedOut,
} from '../../../../support/actors/subscription/delivery-fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const fixture = DeliveryFixture.ofEachTest('a', 'b');

/** Twelve deliveries fail: the breaker opens. */
async function openBreaker(): Promise<void> {
  fixture.answers = (url) => answered(url.endsWith('/a') ? 500 : 200);
  for (let n = 0; n < 12; n++) fixture.record('a');
  await fixture.settle();
}

const breaker = () => fixture.store.all<BreakerDocument>('breakers')[0]?.state;
const stateOf = ({ _id }: { readonly _id: string }) =>
  fixture.deliveries().find((each) => each._id === _id)?.state;
const postsOf = (url: string) => fixture.posts.filter((each) => each.url.endsWith(url));

describe('the breaker', () => {
  test('it parks what is due without spending attempts, and harms no other subscription', async () => {
    await openBreaker();
    assert.equal(breaker()?.breaker.open?.waitMs, 30_000);
    const before = postsOf('/a').length;
    for (let n = 0; n < 20; n++) fixture.record('a');
    fixture.record('b');
    await fixture.settle();
    assert.equal(postsOf('/a').length, before);
    assert.equal(postsOf('/b').length, 1);
    const parked = fixture.deliveries('parked');
    assert.ok(parked.length >= 20);
    assert.ok(parked.every(({ state }) => state.counted <= 1));
  });

  test('one probe after 30 s, then after twice the wait, up to 10 minutes', async () => {
    await openBreaker();
    const openedAt = fixture.clock.now();
    const before = postsOf('/a').length;
    await fixture.pass(45 * 60_000);
    const probes = postsOf('/a').slice(before);
    const waits = probes.map((each, n) => (each.at - (probes[n - 1]?.at ?? openedAt)) / 1_000);
    assert.deepEqual(waits, [30, 60, 120, 240, 480, 600, 600]);
    assert.equal(new Set(probes.map(({ id }) => id)).size, 7, 'each time another one');
    assert.ok(fixture.deliveries().every(({ state }) => state.counted <= 2));
  });

  test('a success closes it, and what was parked follows, oldest first', async () => {
    await openBreaker();
    for (let n = 0; n < 450; n++) {
      fixture.record('a');
      if (n % 50 === 0) await fixture.pass(10, 10);
    }
    await fixture.settle();
    fixture.answers = () => answered(200);
    const before = postsOf('/a').length;
    await fixture.pass(120_000);
    assert.equal(fixture.deliveries('succeeded').length, 462);
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
    fixture.record('a');
    fixture.record('a');
    await fixture.settle();
    const parked = fixture.deliveries('parked').at(-1);
    assert.ok(parked);
    const before = postsOf('/a').length;
    const order = { type: 'retry', deliveryIds: [parked._id] } as const;
    assert.deepEqual(await fixture.ask('a', order), { retried: 1, nextSince: null, until: null });
    assert.equal(postsOf('/a').length, before + 1);
    const failed = fixture.deliveries().find(({ _id }) => _id === parked._id);
    assert.deepEqual([failed?.state.status, failed?.state.counted], ['parked', 0]);
    fixture.answers = () => answered(200);
    const another = fixture.deliveries('parked').find(({ _id }) => _id !== parked._id);
    await fixture.ask('a', { type: 'retry', deliveryIds: [another?._id ?? ''] });
    assert.equal(breaker()?.breaker.open, null);
    await fixture.pass(60_000);
    assert.equal(fixture.deliveries('succeeded').length, 14);
  });

  test('five time-outs in a row open it too', async () => {
    fixture.answers = () => timedOut;
    for (let n = 0; n < 8; n++) fixture.record('a');
    await fixture.settle();
    assert.notEqual(breaker()?.breaker.open ?? null, null);
  });

  test('the next owner goes on with it: no attempt before the probe is due', async () => {
    await openBreaker();
    const openedAt = fixture.clock.now();
    const before = postsOf('/a').length;
    await fixture.pass(10_000);
    await fixture.own();
    await fixture.pass(19_000);
    assert.equal(postsOf('/a').length, before);
    fixture.answers = () => answered(200);
    await fixture.pass(60_000);
    const [probe] = postsOf('/a').slice(before);
    assert.equal((probe?.at ?? 0) - openedAt, 30_000);
    assert.equal(fixture.deliveries('succeeded').length, 12);
  });

  test('the next owner also goes on with taking up what was parked', async () => {
    await openBreaker();
    for (let n = 0; n < 900; n++) fixture.record('a');
    await fixture.settle();
    let taken = 0;
    fixture.answers = () => {
      taken++;
      return taken > 100 ? new Promise(() => undefined) : answered(200);
    };
    await fixture.pass(31_000);
    assert.ok(fixture.deliveries('parked').length > 500);
    fixture.answers = () => answered(200);
    await fixture.own();
    await fixture.pass(120_000);
    assert.equal(fixture.deliveries('succeeded').length, 912);
  });
});

describe('disabling and enabling', () => {
  test('five days without one success disable it, silence does not', async () => {
    fixture.answers = (url) => answered(url.endsWith('/a') ? 500 : 200);
    fixture.record('b');
    for (let hour = 0; hour <= 5 * 24 + 1; hour++) {
      fixture.record('a');
      await fixture.pass(HOUR_MS, 300_000);
      if (hour < 5 * 24 - 1) assert.deepEqual(fixture.disabled, []);
    }
    assert.deepEqual(fixture.disabled, ['failing']);
    const before = postsOf('/a').length;
    await fixture.pass(DAY_MS, 300_000);
    assert.equal(postsOf('/a').length, before, 'nothing is sent any more');
  });

  test('410 disables; what was in hand is parked', async () => {
    fixture.answers = () => answered(410);
    for (let n = 0; n < 30; n++) fixture.record('a');
    await fixture.settle();
    assert.deepEqual(fixture.disabled, ['gone']);
    assert.equal(postsOf('/a').length, 8, 'those that were under way');
    assert.equal(fixture.deliveries('failed').length, 8);
    assert.equal(fixture.deliveries('parked').length, 22);
  });

  test('enabled again: a fresh breaker, and what was parked waits for a retry by hand', async () => {
    await openBreaker();
    fixture.record('a');
    await fixture.settle();
    fixture.subscription('a', { enabled: false, disabledReason: 'failing' });
    await fixture.pass(60_000);
    const parked = fixture.record('a', { parked: true, nudge: false });
    fixture.subscription('a', { enabled: true, enabledAt: fixture.clock.now() });
    await fixture.ask('a', { type: 'configure' });
    fixture.answers = () => answered(200);
    const before = postsOf('/a').length;
    fixture.record('a');
    await fixture.pass(11 * 60_000);
    assert.equal(postsOf('/a').length, before + 1, 'the new one alone');
    const order = { type: 'retry', since: 0, until: fixture.clock.now() } as const;
    const { until } = order;
    assert.deepEqual(await fixture.ask('a', order), { retried: 14, nextSince: null, until });
    await fixture.pass(5_000);
    assert.equal(fixture.deliveries('succeeded').length, 15);
    assert.ok(postsOf('/a').some(({ id }) => id === parked._id));
  });

  test('a new address begins anew, and gets what was parked', async () => {
    await openBreaker();
    fixture.subscription('a', { url: 'http://127.0.0.1/new' });
    await fixture.ask('a', { type: 'configure' });
    await fixture.pass(12_000);
    assert.equal(fixture.deliveries('succeeded').length, 12);
    assert.equal(postsOf('/new').length, 12);
  });

  test('one that is taken away gets nothing more: what is due of it fails', async () => {
    await openBreaker();
    const aside = fixture.record('a');
    await fixture.settle();
    const before = fixture.posts.length;
    assert.equal(before, 12);
    fixture.subscription('a', { removed: true });
    await fixture.ask('a', { type: 'configure' });
    // It would take them now.
    fixture.answers = () => answered(200);
    const late = fixture.record('a');
    await fixture.pass(2_000);
    assert.equal(stateOf(late)?.status, 'failed', 'what was on its way fails at once');
    await fixture.pass(20_000);
    const twelve = fixture.deliveries().filter(({ _id }) => ![aside._id, late._id].includes(_id));
    assert.equal(twelve.length, 12);
    for (const { state } of twelve) {
      assert.deepEqual([state.status, state.counted, state.attempts.length], ['failed', 1, 1]);
      assert.equal(state.nextAttemptAt, null, 'no attempt is due');
      assert.ok(state.endedAt, 'its time in the record runs');
    }
    // Neither a probe's time, nor a retry by hand, nor another owner gets it a POST.
    await fixture.pass(60_000);
    await fixture.ask('a', { type: 'retry', deliveryIds: [aside._id, late._id] });
    await fixture.own();
    await fixture.pass(11 * 60_000);
    assert.equal(fixture.posts.length, before, 'no POST was made');
    assert.deepEqual(
      [aside, late].map((each) => stateOf(each)?.counted),
      [0, 0],
    );
    assert.ok(!fixture.deliveries().some(({ state }) => state.status === 'succeeded'));
  });
});
