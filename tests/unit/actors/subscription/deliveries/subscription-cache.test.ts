/** Cache of the subscriptions of organizations, in memory. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SubscriptionCache } from '../../../../../actors/subscription/deliveries/configuration.ts';
import { DeliveryFixture } from '../../../../support/actors/subscription/delivery-fixture.ts';
import {
  createMemoryStore,
  type MemoryStore,
} from '../../../../support/actors/subscription/memory-store.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Filter, FindOptions, Stored } from '../../../../support/plain-store.ts';

const MANY = 100;

/** How often organizations are read from now on. */
function readsOf(store: MemoryStore): { count: number } {
  const reads = { count: 0 };
  const { find, findOne } = store;
  store.find = <T extends Stored>(collection: string, ...rest: [Filter, FindOptions?]) => {
    if (collection === 'organizations') reads.count++;
    return find<T>(collection, ...rest);
  };
  store.findOne = <T extends Stored>(collection: string, ...rest: [Filter, FindOptions?]) => {
    if (collection === 'organizations') reads.count++;
    return findOne<T>(collection, ...rest);
  };
  return reads;
}

test('the first event of an organization reads it once, for all its subscriptions', async () => {
  const ids = Array.from({ length: MANY }, (_, number) => `sub_${number}`);
  const fixture = await DeliveryFixture.owned(...ids);
  const reads = readsOf(fixture.store);
  await fixture.happen('one');
  await fixture.settle();
  assert.equal(fixture.posts.length, MANY);
  assert.equal(reads.count, 1);
});

test('whatever is asked together, each finds its own organization or none', async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 });
  const asked = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 4 })), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.array(asked, { maxLength: 4 }), async (counts, moments) => {
      const store = createMemoryStore();
      const clock = new ManualClock();
      for (const [org, count] of counts.entries()) {
        const subscriptions = Array.from({ length: count }, (_, n) => ({ id: `s${org}-${n}` }));
        store.put('organizations', { _id: `o${org}`, subscriptions });
      }
      const reads = readsOf(store);
      const cache = new SubscriptionCache({ store, clock });
      for (const moment of moments) {
        clock.advance(1);
        const since = clock.monotonic() - 1;
        reads.count = 0;
        const found = await Promise.all(
          moment.map(([org, n]) => cache.read(`s${org}-${n}`, since).organization),
        );
        const wanted = moment.map(([org, n]) => (n < (counts[org] ?? 0) ? `o${org}` : undefined));
        assert.deepEqual(
          found.map((organization) => organization?._id),
          wanted,
        );
        // One for those that were not met before, one for each organization that was.
        assert.ok(reads.count <= 1 + new Set(moment.map(([org]) => org)).size);
      }
    }),
  );
});

test('a read that fails is made again for whoever asks next', async () => {
  const store = createMemoryStore();
  store.put('organizations', { _id: 'org', subscriptions: [{ id: 'a' }, { id: 'b' }] });
  const { find } = store;
  store.find = () => Promise.reject(new Error('away'));
  const cache = new SubscriptionCache({ store, clock: new ManualClock() });
  const readings = ['a', 'b'].map((id) => cache.read(id, -1).organization);
  for (const outcome of await Promise.allSettled(readings)) {
    assert.equal(outcome.status, 'rejected');
  }
  store.find = find;
  assert.equal((await cache.read('a', -1).organization)?._id, 'org');
});
