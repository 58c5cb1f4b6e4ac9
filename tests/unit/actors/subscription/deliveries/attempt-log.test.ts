/** Write-ahead log of first attempts, in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../../../../actors/environment.ts';
import type { AttemptLogPage, DeliveryDocument } from '../../../../../actors/model/subscription.ts';
import { AttemptLog } from '../../../../../actors/subscription/deliveries/attempt-log.ts';
import type { PostOutcome } from '../../../../../shared/ports/outbound.ts';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import {
  answered,
  DeliveryFixture,
} from '../../../../support/actors/subscription/delivery-fixture.ts';
import type { Filter, FindOptions, Stored } from '../../../../support/plain-store.ts';

const HOUR_MS = 3_600_000;

const fixture = DeliveryFixture.ofEachTest('a', 'b');

const pages = () => fixture.store.all<AttemptLogPage>('claims');
const stored = () => fixture.store.all<DeliveryDocument>('deliveries');
const never = () => new Promise<never>(() => undefined);

function recordMany(): void {
  for (let n = 0; n < 4; n++) for (const id of ['a', 'b']) fixture.record(id);
}

test('what is claimed at one moment is one page, which goes when everything has ended', async () => {
  let pagesAtPost = 0;
  fixture.answers = () => {
    pagesAtPost = Math.max(pagesAtPost, pages().length);
    return answered(200);
  };
  recordMany();
  await fixture.settle();
  assert.equal(fixture.deliveries('succeeded').length, 8);
  assert.ok(pagesAtPost >= 1 && pagesAtPost <= 2, `${pagesAtPost} pages`);
  await fixture.pass(6_000);
  assert.deepEqual(pages(), []);
});

test('nothing is posted whose claim is not journaled, and no attempt is spent', async () => {
  const { commit } = fixture.store;
  fixture.store.commit = async (writes) => {
    const [first] = writes;
    if (first && 'insert' in first && first.insert === 'claims') throw new Error('it cannot say');
    return commit(writes);
  };
  fixture.record('a');
  await fixture.pass(10_000);
  assert.equal(fixture.posts.length, 0);
  fixture.store.commit = commit;
  await fixture.pass(20_000);
  const [delivery] = fixture.deliveries('succeeded');
  assert.deepEqual([fixture.posts.length, delivery?.state.counted], [1, 1]);
});

test('the next owner writes the log into the deliveries before it attempts any', async () => {
  fixture.answers = never;
  recordMany();
  await fixture.settle();
  assert.ok(stored().every(({ state }) => state.counted === 0));
  const { find } = fixture.store;
  fixture.store.find = async <T extends Stored>(
    collection: string,
    filter: Filter,
    options?: FindOptions,
  ) => {
    if (collection === 'claims') throw new Error('it cannot say');
    return find<T>(collection, filter, options);
  };
  fixture.answers = () => answered(200);
  await assert.rejects(fixture.own());
  await fixture.pass(30_000);
  assert.equal(fixture.posts.length, 8, 'not while it cannot be read');
  fixture.store.find = find;
  await fixture.reacquire();
  await fixture.pass(60_000);
  assert.deepEqual([fixture.posts.length, fixture.deliveries('succeeded').length], [16, 8]);
  for (const { state } of stored()) {
    const errors = state.attempts.map(({ error }) => error);
    assert.deepEqual([state.counted, errors], [2, ['interrupted', null]]);
  }
  assert.deepEqual(pages(), []);
});

test('a page that was written late covers nothing, and goes in time', async () => {
  fixture.answers = never;
  const { _id } = fixture.record('a');
  await fixture.settle();
  const [late] = pages();
  assert.ok(late);
  fixture.answers = () => answered(200);
  await fixture.own();
  await fixture.pass(60_000);
  const known = stored();
  fixture.store.put('claims', late);
  await fixture.pass(2 * HOUR_MS, 60_000);
  assert.deepEqual([pages(), stored()], [[], known]);
  const [only] = known;
  assert.deepEqual([known.length, only?._id], [1, _id]);
  assert.deepEqual([only?.state.status, only?.state.counted], ['succeeded', 2]);
});

test('a claim that another owner of the shelf writes out early is the same attempt', async () => {
  const answer = Promise.withResolvers<PostOutcome>();
  fixture.answers = () => answer.promise;
  fixture.record('a');
  await fixture.settle();
  const [page] = pages();
  assert.ok(page);
  const other = new AttemptLog({ store: fixture.store } as unknown as Environment);
  const replay = () => other.replay([partitionOf('subscription', 'a')]);
  await replay();
  assert.deepEqual([pages(), stored()[0]?.state.counted], [[], 1]);
  await fixture.pass(6_000);
  answer.resolve(answered(200));
  await fixture.settle();
  // As if the other had read the page before the outcome was recorded.
  fixture.store.put('claims', page);
  await replay();
  await fixture.pass(60_000);
  const [state] = stored().map(({ state: { status, counted } }) => ({ status, counted }));
  assert.deepEqual([fixture.posts.length, state], [1, { status: 'succeeded', counted: 1 }]);
});

test('an attempt after an answer is claimed in its delivery: a page stays small', async () => {
  fixture.answers = () => answered(500);
  fixture.record('a');
  await fixture.settle();
  await fixture.pass(6_000);
  fixture.answers = never;
  await fixture.pass(10_000);
  assert.equal(fixture.posts.length, 2);
  assert.deepEqual(pages(), []);
  assert.equal(stored()[0]?.state.counted, 2);
});
