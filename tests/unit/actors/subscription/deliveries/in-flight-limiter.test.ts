/** How far ahead attempts are claimed, and what becomes of it (D39, D102). */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import {
  answered,
  DeliveryFixture,
  timedOut,
} from '../../../../support/actors/subscription/delivery-fixture.ts';

const MANY = 60;

const fixture = DeliveryFixture.ofEachTest('a');
let posting = 0;
let most = 0;
let hanging: (() => void)[] = [];

/** A subscriber that answers after a moment, or never while it hangs. */
function subscriber(hangs: () => boolean): DeliveryFixture['answers'] {
  return async () => {
    posting++;
    most = Math.max(most, posting);
    const hung = hangs();
    if (hung) await new Promise<void>((resume) => hanging.push(resume));
    else await new Promise<void>((resume) => setImmediate(resume));
    posting--;
    return hung ? timedOut : answered(200);
  };
}

function claimed(): number {
  return fixture.deliveries().filter(({ state }) => state.underWay !== null).length;
}

beforeEach(() => {
  [posting, most, hanging] = [0, 0, []];
});

describe('the gate of a subscription', () => {
  test('8 at most are posted at once, to one that answers as to one that hangs', async () => {
    fixture.answers = subscriber(() => false);
    for (let n = 0; n < MANY; n++) fixture.record('a');
    await fixture.pass(1_000, 50);
    assert.equal(fixture.deliveries('succeeded').length, MANY);
    assert.equal(most, 8);
  });

  test('nothing is claimed ahead for one that has not answered yet', async () => {
    fixture.answers = subscriber(() => true);
    for (let n = 0; n < MANY; n++) fixture.record('a');
    await fixture.settle();
    assert.deepEqual([posting, claimed()], [8, 8]);
  });

  test('what was claimed ahead for one that stops answering is given back', async () => {
    let hangs = false;
    fixture.answers = subscriber(() => hangs);
    for (let n = 0; n < 8; n++) fixture.record('a');
    await fixture.pass(1_000, 50);
    assert.equal(fixture.deliveries('succeeded').length, 8);
    hangs = true;
    for (let n = 0; n < MANY; n++) fixture.record('a');
    await fixture.settle();
    assert.ok(claimed() > 8, `${claimed()} are claimed, more than are posted`);
    await fixture.pass(200, 50);
    assert.deepEqual([posting, claimed()], [8, 8]);
    const waiting = fixture.deliveries('pending');
    const counted = waiting.reduce((sum, { state }) => sum + state.counted, 0);
    assert.equal(counted, 8, 'the others count nothing');
    hangs = false;
    for (const resume of hanging) resume();
    await fixture.pass(60_000);
    assert.equal(fixture.deliveries('succeeded').length, 8 + MANY);
  });

  test('one that was given back without an answer is posted as often as it is counted', async () => {
    fixture.answers = subscriber(() => false);
    for (let n = 0; n < 8; n++) fixture.record('a');
    await fixture.pass(1_000, 50);
    const late = Promise.withResolvers<void>();
    fixture.answers = () => late.promise.then(() => answered(200));
    const deliveries = Array.from({ length: 16 }, () => fixture.record('a'));
    await fixture.settle();
    const { commit } = fixture.store;
    let lost = 0;
    fixture.store.commit = async (writes) => {
      await commit(writes);
      lost++;
      throw new Error('the answer was lost');
    };
    await fixture.pass(200, 50);
    assert.equal(lost, 8);
    fixture.store.commit = commit;
    // Each is told of once more: this is how it was before it was claimed.
    for (const delivery of deliveries) fixture.nudge(delivery);
    late.resolve();
    await fixture.pass(60_000);
    assert.equal(fixture.deliveries('succeeded').length, 8 + 16);
    for (const { _id, state } of fixture.deliveries()) {
      assert.equal(fixture.posts.filter(({ id }) => id === _id).length, state.counted);
    }
  });
});
