/** Bounds of subscriptions, in memory and of one read: work beyond them goes on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../../../actors/environment.ts';
import type { AttemptLogPage, DeliveryDocument } from '../../../../actors/model/subscription.ts';
import { POLL_EVERY_MS } from '../../../../actors/runtime/due-poller.ts';
import { wakeBreakers } from '../../../../actors/subscription/agenda.ts';
import { AttemptLog } from '../../../../actors/subscription/deliveries/attempt-log.ts';
import { BreakerRecord } from '../../../../actors/subscription/deliveries/breaker-record.ts';
import { SubscriptionCache } from '../../../../actors/subscription/deliveries/configuration.ts';
import { RecentRevisions } from '../../../../actors/subscription/deliveries/documents.ts';
import { DeliveryQueue } from '../../../../actors/subscription/deliveries/queue.ts';
import { recordedState } from '../../../../actors/subscription/deliveries/recorded-delivery.ts';
import { removeExpiredDeliveries } from '../../../../actors/subscription/deliveries/retention.ts';
import { DELIVERIES_RETENTION_MS } from '../../../../shared/limits.ts';
import { PARTITIONS_PER_SHELF } from '../../../../shared/wire/subjects.ts';
import { DeliveryFixture } from '../../../support/actors/subscription/delivery-fixture.ts';
import {
  createMemoryStore,
  type MemoryStore,
} from '../../../support/actors/subscription/memory-store.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Filter, FindOptions, Stored } from '../../../support/plain-store.ts';
import { UNHEARD } from '../../../support/unheard.ts';

const HOUR_MS = 3_600_000;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

function environmentOf(store: MemoryStore): Environment {
  const parts = { store, clock: new ManualClock(), log: SILENT, live: UNHEARD };
  return { ...parts, leaseHeld: () => true } as unknown as Environment;
}

/** Sizes of what each read of the collection found. */
function readsOf(store: MemoryStore, collection: string): number[] {
  const sizes: number[] = [];
  const { find } = store;
  store.find = async <T extends Stored>(from: string, ...rest: [Filter, FindOptions?]) => {
    const found = await find<T>(from, ...rest);
    if (from === collection) sizes.push(found.length);
    return structuredClone(found) as never;
  };
  return sizes;
}

test('beyond its bounds the shelf finds a subscription again, and no other', async () => {
  const store = createMemoryStore();
  for (const n of numbers(20)) {
    store.put('organizations', { _id: `org_${n}`, subscriptions: [{ id: `sub_${n}` }] });
  }
  const cache = new SubscriptionCache(environmentOf(store), { cachedMax: 2, subscriptionsMax: 4 });
  const read = async (n: number) => (await cache.read(`sub_${n}`, -1).organization)?._id;
  for (const n of numbers(20)) assert.equal(await read(n), `org_${n}`);
  const searches = readsOf(store, 'organizations');
  assert.equal(await read(19), 'org_19');
  assert.deepEqual(searches, [], 'kept');
  assert.equal(await read(0), 'org_0');
  assert.deepEqual(searches, [1], 'forgotten, and looked for again');
});

test('a backlog in the store drains at the pace of its subscriber, not of the polls', async () => {
  const fixture = await DeliveryFixture.owned('sub_1');
  for (const _ of numbers(2_500)) fixture.record('sub_1', { nudge: false });
  await fixture.pass(POLL_EVERY_MS);
  const startedAt = fixture.clock.now();
  while (fixture.posts.length < 2_500 && fixture.clock.now() - startedAt < 60_000) {
    await fixture.pass(20, 20);
  }
  assert.equal(new Set(fixture.posts.map(({ id }) => id)).size, 2_500);
  const [first] = fixture.posts;
  const lastMs = (fixture.posts.at(-1)?.at ?? 0) - (first?.at ?? 0);
  assert.ok(lastMs < POLL_EVERY_MS, `the last one ${lastMs} ms after the first`);
});

function delivered(n: number): DeliveryDocument {
  const state = { ...recordedState(0, 'pending'), epoch: 1, revision: 2 };
  return { _id: `dlv_${n}`, state } as unknown as DeliveryDocument;
}

function older(delivery: DeliveryDocument): DeliveryDocument {
  return { ...delivery, state: { ...delivery.state, revision: 1 } };
}

test('of the states that left a desk the newest are remembered', () => {
  const revisions = new RecentRevisions(new ManualClock(), 100);
  for (const n of numbers(1_000)) {
    revisions.remember(delivered(n));
    assert.ok(revisions.size <= 100, `${revisions.size} are remembered`);
  }
  assert.ok(numbers(90).every((n) => !revisions.isNewer(older(delivered(999 - n)))));
  assert.ok(revisions.isNewer(older(delivered(0))), 'the oldest is forgotten');
});

test('claims left in the log are written out fifty pages at a time', async () => {
  const store = createMemoryStore();
  for (const n of numbers(120)) {
    const page: AttemptLogPage = { _id: `clm_${n}`, at: 0, partitions: [5], claims: [] };
    store.put('claims', page);
  }
  const sizes = readsOf(store, 'claims');
  await new AttemptLog(environmentOf(store)).replay([5 * PARTITIONS_PER_SHELF]);
  assert.deepEqual(sizes, [120, 50, 50, 20]);
  assert.deepEqual(store.all('claims'), []);
});

test('a replay ends beside an owner that goes on writing, and leaves alone what came meanwhile', async () => {
  const store = createMemoryStore();
  const pageOf = (n: number): AttemptLogPage => {
    return { _id: `clm_${n}`, at: 0, partitions: [5], claims: [] };
  };
  let written = 50;
  for (const n of numbers(written)) store.put('claims', pageOf(n));
  const { commit } = store;
  store.commit = async (writes) => {
    // As many as a read finds; the owner stops some day, so that this test ends in any case.
    for (let n = 0; n < 50 && written < 500; n++) store.put('claims', pageOf(written++));
    return commit(writes);
  };
  await new AttemptLog(environmentOf(store)).replay([5 * PARTITIONS_PER_SHELF]);
  const first = store.all('claims').map(({ _id }) => _id);
  assert.deepEqual(
    first,
    numbers(written - 50).map((n) => `clm_${50 + n}`),
  );
  assert.ok(written < 500, 'it has ended before the other');
});

test('active breakers are woken once each, five hundred at a time', async () => {
  const store = createMemoryStore();
  for (const n of numbers(1_200)) {
    const _id = `sub_${1_000 + n}`;
    store.put('breakers', { _id, partition: n % 4, state: { active: n < 600 } });
  }
  const sizes = readsOf(store, 'breakers');
  const woken: string[] = [];
  await wakeBreakers(environmentOf(store), [0, 16, 32, 48], ({ _id }) => woken.push(_id));
  assert.deepEqual(sizes, [500, 100, 0]);
  assert.equal(new Set(woken).size, 600);
  assert.equal(woken.length, 600);
});

/** How many deliveries a sweep removes that comes so much later. */
function sweepIn(fixture: DeliveryFixture, ms: number): Promise<number> {
  const clock = new ManualClock();
  clock.now = () => fixture.clock.now() + ms;
  return removeExpiredDeliveries({ ...environmentOf(fixture.store), clock }, () => true);
}

test('deliveries parked under a removed subscription go after thirty days', async () => {
  const fixture = await DeliveryFixture.owned('kept', 'gone');
  const kept = fixture.record('kept', { nudge: false, parked: true });
  fixture.record('gone', { nudge: false, parked: true });
  fixture.subscription('gone', { removed: true });
  assert.equal(await sweepIn(fixture, DELIVERIES_RETENTION_MS - 1), 0);
  assert.equal(await sweepIn(fixture, DELIVERIES_RETENTION_MS + 1), 1);
  const left = fixture.deliveries().map(({ _id }) => _id);
  assert.deepEqual(left, [kept._id]);
});

test('a desk keeps a thousand that wait, and whatever is in flight', () => {
  const queue = new DeliveryQueue();
  const delivery = (n: number): DeliveryDocument => ({
    ...delivered(n),
    state: { ...delivered(n).state, nextAttemptAt: n % 2 === 0 ? 0 : HOUR_MS },
  });
  for (const n of numbers(1_000)) assert.ok(queue.put(delivery(n), 1), `${n} finds room`);
  assert.equal(queue.put(delivery(1_000), 1), false, 'the agenda keeps it');
  assert.equal(queue.size, 1_000);
  assert.ok(queue.put(delivery(7), 1), 'it is there already');
});

test('a sweep comes to the last of more subscriptions than its batches look at', async () => {
  const fixture = new DeliveryFixture();
  const last = 'sub_last';
  const delivery = fixture.record(last, { nudge: false });
  const ended = { ...delivery.state, status: 'succeeded' as const, endedAt: fixture.clock.now() };
  fixture.store.put('deliveries', { ...delivery, state: ended } as DeliveryDocument);
  const subscriptions = [...numbers(8_200).map((n) => ({ id: `sub_${n}` })), { id: last }];
  fixture.store.put('organizations', { _id: 'org', subscriptions });
  assert.equal(await sweepIn(fixture, DELIVERIES_RETENTION_MS + 1), 1);
});

test('an outage whose name is not on record after three tries parks nothing', async () => {
  const store = createMemoryStore();
  let written = 0;
  store.commit = async (writes) => {
    written += writes.length;
    return writes.map((_, n) => ({ ok: true, id: `lost_${n}` }) as never);
  };
  const record = new BreakerRecord(environmentOf(store), { subscriptionId: 'sub_1', epoch: 1 });
  await assert.rejects(record.recordSeries(), /not recorded/);
  assert.equal(written, 3);
});
