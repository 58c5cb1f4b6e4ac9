/** How far ahead attempts are claimed, and what becomes of it (D39, D102). */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { answered, Scene, timedOut } from './scene.ts';

const MANY = 60;

let scene: Scene;
let posting = 0;
let most = 0;
let hanging: (() => void)[] = [];

/** A subscriber that answers after a moment, or never while it hangs. */
function subscriber(hangs: () => boolean): Scene['answers'] {
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
  return scene.deliveries().filter(({ state }) => state.underWay !== null).length;
}

beforeEach(async () => {
  [posting, most, hanging] = [0, 0, []];
  scene = await Scene.owned('a');
});

describe('the gate of a subscription', () => {
  test('8 at most are posted at once, to one that answers as to one that hangs', async () => {
    scene.answers = subscriber(() => false);
    for (let n = 0; n < MANY; n++) scene.record('a');
    await scene.pass(1_000, 50);
    assert.equal(scene.deliveries('succeeded').length, MANY);
    assert.equal(most, 8);
  });

  test('nothing is claimed ahead for one that has not answered yet', async () => {
    scene.answers = subscriber(() => true);
    for (let n = 0; n < MANY; n++) scene.record('a');
    await scene.settle();
    assert.deepEqual([posting, claimed()], [8, 8]);
  });

  test('what was claimed ahead for one that stops answering is given back', async () => {
    let hangs = false;
    scene.answers = subscriber(() => hangs);
    for (let n = 0; n < 8; n++) scene.record('a');
    await scene.pass(1_000, 50);
    assert.equal(scene.deliveries('succeeded').length, 8);
    hangs = true;
    for (let n = 0; n < MANY; n++) scene.record('a');
    await scene.settle();
    assert.ok(claimed() > 8, `${claimed()} are claimed, more than are posted`);
    await scene.pass(200, 50);
    assert.deepEqual([posting, claimed()], [8, 8]);
    const counted = scene.deliveries('pending').map(({ state }) => state.counted);
    assert.equal(
      counted.reduce((sum, each) => sum + each, 0),
      8,
      'the others count nothing',
    );
    hangs = false;
    for (const resume of hanging) resume();
    await scene.pass(60_000);
    assert.equal(scene.deliveries('succeeded').length, 8 + MANY);
  });

  test('one that was given back without an answer is posted as often as it is counted', async () => {
    scene.answers = subscriber(() => false);
    for (let n = 0; n < 8; n++) scene.record('a');
    await scene.pass(1_000, 50);
    const late = Promise.withResolvers<void>();
    scene.answers = () => late.promise.then(() => answered(200));
    const deliveries = Array.from({ length: 16 }, () => scene.record('a'));
    await scene.settle();
    const { commit } = scene.store;
    let lost = 0;
    scene.store.commit = async (writes) => {
      await commit(writes);
      lost++;
      throw new Error('the answer was lost');
    };
    await scene.pass(200, 50);
    assert.equal(lost, 8);
    scene.store.commit = commit;
    // Each is told of once more: this is how it was before it was claimed.
    for (const delivery of deliveries) scene.nudge(delivery);
    late.resolve();
    await scene.pass(60_000);
    assert.equal(scene.deliveries('succeeded').length, 8 + 16);
    for (const { _id, state } of scene.deliveries()) {
      assert.equal(scene.posts.filter(({ id }) => id === _id).length, state.counted);
    }
  });
});
