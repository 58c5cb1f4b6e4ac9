/**
 * A delivery worker without work is closed and opened again under the same epoch. Its breaker's
 * writes must then win, or deliveries that a second outage parks are never found (breaker-record, 3
 * and 5).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BreakerDocument } from '../../../../../actors/model/subscription.ts';
import {
  answered,
  DeliveryFixture,
  timedOut,
} from '../../../../support/actors/subscription/delivery-fixture.ts';
import type { Write } from '../../../../support/plain-store.ts';

/** Longer than an idle delivery worker is kept. */
const SILENCE_MS = 75_000;
/** Deliveries of one outage. */
const EACH = 14;

const fixture = DeliveryFixture.ofEachTest('a');

const breaker = () => fixture.store.all<BreakerDocument>('breakers')[0]?.state;
const isOfBreaker = (each: Write): boolean => 'update' in each && each.update === 'breakers';

/** The subscriber answers nothing: the breaker opens, and every delivery is parked. */
async function outage(): Promise<void> {
  fixture.answers = () => timedOut;
  for (let n = 0; n < EACH; n++) fixture.record('a');
  await fixture.pass(15_000);
  assert.equal(fixture.deliveries('parked').length, EACH);
}

/** The subscriber is back: whatever was parked is delivered within an hour. */
async function mend(): Promise<void> {
  fixture.answers = () => answered(200);
  await fixture.pass(180_000);
  assert.deepEqual(fixture.deliveries('parked'), [], 'nothing stays beside a healthy subscriber');
  assert.equal(fixture.deliveries('succeeded').length, fixture.deliveries().length);
}

describe('a second outage after a minute of silence', () => {
  for (const changes of ['of the owner', 'of nobody']) {
    test(`everything is delivered after a change ${changes}`, async () => {
      await outage();
      await mend();
      await fixture.pass(SILENCE_MS);
      await outage();
      assert.equal(breaker()?.active, true, 'the second outage is on record');
      if (changes === 'of the owner') await fixture.own();
      await mend();
      assert.equal(fixture.deliveries().length, 2 * EACH);
    });
  }

  test('so it is after any number of outages, owners and silences', async () => {
    for (let round = 0; round < 4; round++) {
      await outage();
      if (round % 2 === 1) await fixture.own();
      await mend();
      await fixture.pass(SILENCE_MS);
    }
    await outage();
    await fixture.own();
    await mend();
    assert.equal(fixture.deliveries().length, 5 * EACH);
  });

  test('the next owner waits for the probe of the second outage too', async () => {
    await outage();
    await mend();
    await fixture.pass(SILENCE_MS);
    await outage();
    const before = fixture.posts.length;
    await fixture.own();
    await fixture.pass(10_000);
    assert.equal(fixture.posts.length, before);
  });
});

test('a desk that is opened again goes on with the record: since when it fails is written', async () => {
  await outage();
  await mend();
  await fixture.pass(SILENCE_MS);
  fixture.answers = () => answered(500);
  fixture.record('a');
  await fixture.settle();
  const failingSince = fixture.clock.now();
  await fixture.pass(120_000);
  assert.equal(breaker()?.breaker.failingSince, failingSince);
});

describe('only what was read back is believed', () => {
  test('a name that another state on record covers is written again before anything is parked', async () => {
    const { commit } = fixture.store;
    let covering = true;
    // A write of the same owner's closed worker arrives at the last moment.
    fixture.store.commit = async (writes) => {
      const mine = writes.find(isOfBreaker);
      if (mine && covering && 'update' in mine) {
        const { state } = Object(Reflect.get(mine.change, '$max'));
        if (state.series !== null) {
          covering = false;
          const late = { ...state, revision: state.revision + 7, series: null, active: false };
          await commit([{ ...mine, change: { $max: { state: late } } }]);
        }
      }
      return commit(writes);
    };
    await outage();
    assert.equal(covering, false);
    assert.equal(breaker()?.active, true);
    await fixture.own();
    await mend();
  });

  test('a series that is on record already is taken over with what is parked under it', async () => {
    const { commit } = fixture.store;
    let late: Write | null = null;
    fixture.store.commit = async (writes) => {
      const mine = writes.find(isOfBreaker);
      if (!mine || late || !('update' in mine)) return commit(writes);
      const { state } = Object(Reflect.get(mine.change, '$max'));
      const other = { ...state, revision: state.revision + 7, series: 77, active: true };
      late = { ...mine, change: { $max: { state: other } } };
      await commit([late]);
      return commit(writes);
    };
    await outage();
    assert.equal(breaker()?.series, 77);
    assert.ok(fixture.deliveries('parked').every(({ state }) => state.series === 77));
    await mend();
  });

  test('an owner that finds a later epoch on record parks nothing', async () => {
    await outage();
    await mend();
    await fixture.pass(SILENCE_MS);
    const [known] = fixture.store.all<BreakerDocument>('breakers');
    assert.ok(known);
    const state = { ...known.state, epoch: known.state.epoch + 1 };
    fixture.store.put('breakers', { ...known, state });
    fixture.answers = () => timedOut;
    for (let n = 0; n < EACH; n++) fixture.record('a');
    await fixture.pass(5_000);
    assert.deepEqual(fixture.deliveries('parked'), []);
    assert.equal(breaker()?.epoch, state.epoch);
  });
});
