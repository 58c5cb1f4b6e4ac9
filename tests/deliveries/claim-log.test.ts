/** First attempts that are claimed in a log, in memory. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { AttemptLogPage } from '../../actors/subscription/attempt-log.ts';
import type { DeliveryDocument } from '../../actors/subscription/documents.ts';
import { answered, Scene } from './scene.ts';

const HOUR_MS = 3_600_000;

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.owned('a', 'b');
});

const pages = () => scene.store.all<AttemptLogPage>('claims');
const stored = () => scene.store.all<DeliveryDocument>('deliveries');
const never = () => new Promise<never>(() => undefined);

function recordMany(): void {
  for (let n = 0; n < 4; n++) for (const id of ['a', 'b']) scene.record(id);
}

test('what is claimed at one moment is one page, which goes when everything has ended', async () => {
  let pagesAtPost = 0;
  scene.answers = () => {
    pagesAtPost = Math.max(pagesAtPost, pages().length);
    return answered(200);
  };
  recordMany();
  await scene.settle();
  assert.equal(scene.deliveries('succeeded').length, 8);
  assert.ok(pagesAtPost >= 1 && pagesAtPost <= 2, `${pagesAtPost} pages`);
  await scene.pass(6_000);
  assert.deepEqual(pages(), []);
});

test('nothing is posted whose claim is not journaled, and no attempt is spent', async () => {
  const { commit } = scene.store;
  scene.store.commit = async (writes) => {
    const [first] = writes;
    if (first && 'insert' in first && first.insert === 'claims') throw new Error('it cannot say');
    return commit(writes);
  };
  scene.record('a');
  await scene.pass(10_000);
  assert.equal(scene.posts.length, 0);
  scene.store.commit = commit;
  await scene.pass(20_000);
  const [delivery] = scene.deliveries('succeeded');
  assert.deepEqual([scene.posts.length, delivery?.state.counted], [1, 1]);
});

test('the next owner writes the log into the deliveries before it attempts any', async () => {
  scene.answers = never;
  recordMany();
  await scene.settle();
  assert.ok(stored().every(({ state }) => state.counted === 0));
  const { find } = scene.store;
  scene.store.find = async (collection, filter, options) => {
    if (collection === 'claims') throw new Error('it cannot say');
    return find(collection, filter, options);
  };
  scene.answers = () => answered(200);
  await assert.rejects(scene.own());
  await scene.pass(30_000);
  assert.equal(scene.posts.length, 8, 'not while it cannot be read');
  scene.store.find = find;
  await scene.takeAgain();
  await scene.pass(60_000);
  assert.deepEqual([scene.posts.length, scene.deliveries('succeeded').length], [16, 8]);
  for (const { state } of stored()) {
    const errors = state.attempts.map(({ error }) => error);
    assert.deepEqual([state.counted, errors], [2, ['interrupted', null]]);
  }
  assert.deepEqual(pages(), []);
});

test('a page that was written late covers nothing, and goes in time', async () => {
  scene.answers = never;
  const { _id } = scene.record('a');
  await scene.settle();
  const [late] = pages();
  assert.ok(late);
  scene.answers = () => answered(200);
  await scene.own();
  await scene.pass(60_000);
  const known = stored();
  scene.store.put('claims', late);
  await scene.pass(2 * HOUR_MS, 60_000);
  assert.deepEqual([pages(), stored()], [[], known]);
  assert.deepEqual(
    known.map((each) => [each._id, each.state.status, each.state.counted]),
    [[_id, 'succeeded', 2]],
  );
});

test('an attempt after an answer is claimed in its delivery: a page stays small', async () => {
  scene.answers = () => answered(500);
  scene.record('a');
  await scene.settle();
  await scene.pass(6_000);
  scene.answers = never;
  await scene.pass(10_000);
  assert.equal(scene.posts.length, 2);
  assert.deepEqual(pages(), []);
  assert.equal(stored()[0]?.state.counted, 2);
});
