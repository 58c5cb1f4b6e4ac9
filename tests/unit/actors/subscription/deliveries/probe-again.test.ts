/** Probes that no delivery could make (D40). */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import {
  answered,
  DeliveryFixture,
} from '../../../../support/actors/subscription/delivery-fixture.ts';
import type { Write } from '../../../../support/plain-store.ts';

const fixture = DeliveryFixture.ofEachTest('a');

/** The breaker is open, everything is parked, the subscriber is back, and nothing new comes. */
beforeEach(async () => {
  fixture.answers = () => answered(500);
  for (let n = 0; n < 12; n++) fixture.record('a');
  await fixture.pass(15_000);
  assert.equal(fixture.deliveries('parked').length, 12);
  fixture.answers = () => answered(200);
});

/** The next commit that changes a delivery fails; the number of those that came so far. */
function failNextChange(): () => number {
  const { store } = fixture;
  const commit = store.commit.bind(store);
  let changes = 0;
  store.commit = async (writes: readonly Write[], options) => {
    const isChange = writes.some((write) => 'update' in write && write.update === 'deliveries');
    if (isChange && changes++ === 0) throw new Error('write conflict');
    return commit(writes, options);
  };
  return () => changes;
}

describe('a probe that is due', () => {
  test('it is made after another wait when the write before its claim failed', async () => {
    // Claims of which no outcome is known: a probe writes one off before it claims its attempt.
    for (const delivery of fixture.deliveries('parked')) {
      const state = { ...delivery.state, underWay: { at: delivery.createdAt, byHand: false } };
      fixture.store.put('deliveries', { ...delivery, state });
    }
    const changes = failNextChange();
    await fixture.pass(20_000);
    assert.equal(changes(), 1, 'the probe was due');
    assert.equal(fixture.deliveries('succeeded').length, 0);
    await fixture.pass(120_000);
    assert.equal(fixture.deliveries('succeeded').length, 12);
  });
});
