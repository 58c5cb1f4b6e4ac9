/**
 * Deliveries that an open breaker has parked are found again, after any crash (breaker-record, 3).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BreakerDocument } from '../../../../../actors/model/subscription.ts';
import type { PostOutcome } from '../../../../../shared/ports/outbound.ts';
import {
  answered,
  DeliveryFixture,
  timedOut,
} from '../../../../support/actors/subscription/delivery-fixture.ts';
import type { Filter, FindOptions, Stored, Write } from '../../../../support/plain-store.ts';

/** A late write arrives within this time. */
const LATE_MS = 10_000;

const fixture = DeliveryFixture.ofEachTest('a');

const breaker = () => fixture.store.all<BreakerDocument>('breakers')[0]?.state;
const isOfBreaker = (each: Write): boolean => 'update' in each && each.update === 'breakers';
const parks = (each: Write): boolean =>
  'update' in each && JSON.stringify(each.change).includes('"status":"parked"');

/** Reads that find nothing set aside any more, so long after the first such one, are held. */
function emptyPagesAreHeld(afterMs: number) {
  const { find } = fixture.store;
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = { reads: 0, release: resolve };
  let first: number | null = null;
  fixture.store.find = async <T extends Stored>(
    name: string,
    filter: Filter,
    options?: FindOptions,
  ) => {
    const found = await find<T>(name, filter, options);
    if (found.length > 0 || !('state.series' in filter)) return found;
    first ??= fixture.clock.now();
    if (fixture.clock.now() < first + afterMs) return found;
    held.reads++;
    await promise;
    return found;
  };
  return held;
}

/** So many deliveries, of which every attempt fails. */
async function fail(count: number): Promise<void> {
  fixture.answers = () => answered(500);
  for (let n = 0; n < count; n++) fixture.record('a');
  await fixture.settle();
}

/** The subscriber is back: everything gets there. */
async function allArrives(): Promise<void> {
  fixture.answers = () => answered(200);
  await fixture.pass(180_000);
  assert.equal(fixture.deliveries('succeeded').length, fixture.deliveries().length);
  assert.equal(breaker()?.active ?? false, false);
}

test('a crash before the breaker is on record leaves nothing set aside that nobody finds', async () => {
  const { commit } = fixture.store;
  // Writes of deliveries are committed, those of the breaker are not.
  fixture.store.commit = async (writes) => {
    const landed = await commit(writes.filter((each) => !isOfBreaker(each)));
    return writes.some(isOfBreaker) ? new Promise(() => undefined) : landed;
  };
  await fail(12);
  await fail(5);
  await fixture.pass(15_000);
  fixture.store.commit = commit;
  await fixture.own();
  await allArrives();
});

for (const afterMs of [0, LATE_MS]) {
  const when = `${afterMs} ms after the first empty one`;
  test(`a breaker that opens while a page is read, ${when}, keeps its series`, async () => {
    await fail(12);
    const hanging = Promise.withResolvers<PostOutcome>();
    let probed = false;
    fixture.answers = () => {
      if (probed) return hanging.promise;
      probed = true;
      return answered(200);
    };
    const page = emptyPagesAreHeld(afterMs);
    await fixture.pass(45_000);
    assert.equal(page.reads, 1, 'nothing is set aside any more, and the desk is about to know');
    hanging.resolve(timedOut);
    await fixture.settle();
    assert.equal(breaker()?.breaker.open?.waitMs, 30_000, 'it has opened anew');
    page.release();
    await fail(12);
    assert.ok(fixture.deliveries('parked').length >= 12);
    await allArrives();
  });
}

test('an owner that is superseded while the name is written sets nothing aside', async () => {
  const { commit } = fixture.store;
  const { promise: written, resolve: release } = Promise.withResolvers<void>();
  fixture.store.commit = async (writes) => {
    if (writes.some(isOfBreaker)) await written;
    return commit(writes);
  };
  await fail(12);
  await fail(30);
  fixture.answers = () => new Promise(() => undefined);
  await fixture.own();
  release();
  await fixture.settle();
  assert.equal(breaker()?.epoch, 1, 'the name has been written after all');
  assert.deepEqual(fixture.deliveries('parked'), []);
});

/** The breaker opens, one is set aside, the next comes late; a retry by hand closes the breaker. */
async function closeBeforeParkLands(): Promise<readonly Write[]> {
  fixture.answers = () => timedOut;
  for (let n = 0; n < 8; n++) fixture.record('a');
  await fixture.settle();
  const aside = fixture.record('a');
  await fixture.settle();
  const { commit } = fixture.store;
  const late: Write[] = [];
  fixture.store.commit = async (writes) => {
    if (!writes.some(parks)) return commit(writes);
    late.push(...writes);
    throw new Error('the store did not answer in time');
  };
  fixture.record('a');
  await fixture.settle();
  fixture.store.commit = commit;
  fixture.answers = () => answered(200);
  await fixture.ask('a', { type: 'retry', deliveryIds: [aside._id] });
  return late;
}

for (const outages of [1, 2]) {
  test(`what is set aside late is taken up, after ${outages} outages one upon another`, async () => {
    let late: readonly Write[] = [];
    for (let n = 0; n < outages; n++) {
      late = await closeBeforeParkLands();
      assert.equal(late.length, 1);
      await fixture.pass(6_000);
    }
    assert.equal(fixture.deliveries('parked').length, 0, 'nothing is found any more');
    await fixture.store.commit(late);
    assert.equal(fixture.deliveries('parked').length, 1);
    await allArrives();
  });
}
