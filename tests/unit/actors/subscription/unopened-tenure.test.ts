/**
 * An owner of two partitions of one shelf, of which the log of attempts has not been read for one:
 * what the shelf tells of that one's subscription starts nothing yet (attempt-log, 2).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryDocument } from '../../../../actors/model/subscription.ts';
import { partitionOf, shelfOf } from '../../../../shared/wire/subjects.ts';
import {
  answered,
  DeliveryFixture,
  timedOut,
} from '../../../support/actors/subscription/delivery-fixture.ts';
import type { Filter, FindOptions, Stored } from '../../../support/plain-store.ts';

const EACH = 14;

/** Two subscriptions of one shelf, in two partitions. */
function neighbours(): readonly [string, string] {
  const placeOf = (id: string) => partitionOf('subscription', id);
  const [first, ...others] = Array.from({ length: 1_000 }, (_, n) => `sub_${n}`);
  assert.ok(first);
  const isNeighbour = (id: string) =>
    placeOf(id) !== placeOf(first) && shelfOf(placeOf(id)) === shelfOf(placeOf(first));
  return [first, others.find(isNeighbour) ?? assert.fail('no neighbour')];
}

const [OPEN, UNOPENED] = neighbours();

/** A new owner, which has read the log for the first subscription only. */
async function ownsBoth(fixture: DeliveryFixture) {
  const { find } = fixture.store;
  const latch = Promise.withResolvers<void>();
  fixture.store.find = async <T extends Stored>(
    from: string,
    filter: Filter,
    options?: FindOptions,
  ) => {
    if (from === 'claims') {
      fixture.store.find = find;
      await latch.promise;
    }
    return find<T>(from, filter, options);
  };
  const opened = fixture.own(UNOPENED);
  await fixture.settle();
  await fixture.reacquire(OPEN);
  return async () => {
    latch.resolve();
    await opened;
  };
}

test('a breaker that the neighbour finds on their shelf probes once its own log is read', async () => {
  const fixture = await DeliveryFixture.owned(OPEN, UNOPENED);
  fixture.answers = () => timedOut;
  for (let n = 0; n < EACH; n++) fixture.record(UNOPENED);
  await fixture.pass(15_000);
  assert.equal(fixture.deliveries('parked').length, EACH);

  fixture.answers = () => answered(200);
  const open = await ownsBoth(fixture);
  const before = fixture.posts.length;
  await fixture.pass(180_000);
  assert.equal(fixture.posts.length, before, 'nothing is posted');
  await open();
  await fixture.pass(180_000);
  assert.equal(fixture.deliveries('succeeded').length, EACH);
});

test('a delivery without a place, which the neighbour finds too, waits for its own log', async () => {
  const fixture = await DeliveryFixture.owned(OPEN, UNOPENED);
  const { place: _, ...delivery } = fixture.record(UNOPENED, { nudge: false });
  const old: DeliveryDocument = delivery;
  fixture.store.put('deliveries', old);
  const open = await ownsBoth(fixture);
  await fixture.pass(15_000);
  assert.equal(fixture.posts.length, 0);
  await open();
  await fixture.pass(15_000);
  assert.deepEqual(
    fixture.posts.map(({ id }) => id),
    [old._id],
  );
});
