/** Deliveries that are claimed by the insert that records them, in memory. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DeliveryDocument } from '../../../../../actors/model/subscription.ts';
import { changed } from '../../../../../actors/subscription/deliveries/documents.ts';
import {
  answered,
  DeliveryFixture,
} from '../../../../support/actors/subscription/delivery-fixture.ts';
import type { Store, Write } from '../../../../support/plain-store.ts';

const fixture = DeliveryFixture.ofEachTest('a');

/** The writes of deliveries, in their order. */
function watched(): Write[] {
  const writes: Write[] = [];
  const { commit } = fixture.store;
  fixture.store.commit = async (group) => {
    writes.push(...group);
    return commit(group);
  };
  return writes;
}

/** `carryOut` executes the next insert; all later writes are committed as usual. */
function nextInsert(carryOut: (commit: Store['commit'], group: readonly Write[]) => unknown): void {
  const { commit } = fixture.store;
  let met = false;
  fixture.store.commit = async (group) => {
    const [first] = group;
    if (met || !first || !('insert' in first)) return commit(group);
    met = true;
    await carryOut(commit, group);
    return commit(group);
  };
}

const never = () => new Promise<never>(() => undefined);
const unsaid = (): never => {
  throw new Error('the store could not say whether it wrote');
};

/** The next insert waits until it is released. */
function heldInsert(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  nextInsert(() => promise);
  return resolve;
}

/** It happens, and all that follows from it at once. */
async function happens(id: string): Promise<void> {
  await fixture.happen(id);
  await fixture.settle();
}

const only = (): DeliveryDocument => {
  const [delivery, ...others] = fixture.deliveries();
  assert.ok(delivery && others.length === 0);
  return delivery;
};
const errorsOf = ({ state }: DeliveryDocument) => state.attempts.map(({ error }) => error);

describe('a delivery that is claimed by its insert', () => {
  test('costs two writes, and is posted after the first', async () => {
    const writes = watched();
    let postedAfter = 0;
    fixture.answers = () => {
      postedAfter = writes.length;
      return answered(200);
    };
    await happens('one');
    assert.equal(fixture.posts.length, 1);
    assert.deepEqual([postedAfter, writes.length], [1, 2]);
    const { state } = only();
    assert.deepEqual([state.status, state.counted, state.revision], ['succeeded', 1, 3]);
  });

  test('is as the claim would have left it', async () => {
    fixture.answers = never;
    await happens('one');
    const born = only();
    const { _id } = fixture.record('a');
    await fixture.settle();
    const claimed = fixture.deliveries().find((each) => each._id === _id);
    assert.deepEqual(born.state, claimed?.state);
  });

  test('is not posted before the insert is journaled', async () => {
    const release = heldInsert();
    const done = fixture.happen('one');
    await fixture.settle();
    assert.equal(fixture.posts.length, 0);
    release();
    await done;
    await fixture.settle();
    assert.equal(fixture.posts.length, 1);
  });

  test('is not posted when the lease ended before that; the next owner finds it', async () => {
    const release = heldInsert();
    const done = fixture.happen('one');
    await fixture.settle();
    await fixture.own();
    release();
    await done;
    await fixture.settle();
    assert.equal(fixture.posts.length, 0);
    await fixture.pass(30_000);
    assert.equal(fixture.posts.length, 1);
    assert.deepEqual(errorsOf(only()), ['interrupted', null]);
    assert.equal(only().state.counted, 2);
  });

  test('is settled by the next owner if its owner died while it posted', async () => {
    fixture.answers = never;
    await happens('one');
    fixture.answers = () => answered(200);
    await fixture.own();
    await fixture.pass(30_000);
    assert.equal(fixture.posts.length, 2);
    assert.deepEqual(errorsOf(only()), ['interrupted', null]);
  });

  test('has its claim given back when a POST before it lasts', async () => {
    await happens('answered');
    fixture.answers = never;
    for (let n = 0; n < 12; n++) await fixture.happen(`event ${n}`);
    await fixture.settle();
    const counted = (times: number) =>
      fixture.deliveries('pending').filter(({ state }) => state.counted === times).length;
    assert.deepEqual([fixture.posts.length, counted(1)], [9, 12]);
    await fixture.pass(200, 100);
    assert.deepEqual([fixture.posts.length, counted(1), counted(0)], [9, 8, 4]);
  });
});

describe('an insert that claims nothing', () => {
  test('one that another made before is attempted on its own claim', async () => {
    const writes = watched();
    nextInsert((commit, group) =>
      commit([{ insert: 'deliveries', document: recordedBefore(group) }]),
    );
    let claimedBefore = false;
    fixture.answers = () => {
      claimedBefore = writes.some((write) => 'insert' in write && write.insert === 'claims');
      return answered(200);
    };
    await happens('one');
    assert.equal(fixture.posts.length, 1);
    assert.ok(claimedBefore, 'before it was posted');
    assert.deepEqual([only().state.status, only().state.counted], ['succeeded', 1]);
  });

  test('one that has succeeded before is not posted', async () => {
    nextInsert((commit, group) => {
      const delivery = recordedBefore(group);
      const ended = { ...delivery.state, status: 'succeeded' as const, nextAttemptAt: null };
      const document = changed(delivery, ended, { epoch: 1, now: 0 });
      return commit([{ insert: 'deliveries', document }]);
    });
    await fixture.happen('one');
    await fixture.pass(60_000);
    assert.equal(fixture.posts.length, 0);
  });

  test('a lost answer of one that landed: it is handed on again, and spends no attempt', async () => {
    nextInsert((commit, group) => commit(group).then(unsaid));
    await assert.rejects(fixture.happen('one'));
    await happens('one');
    await fixture.pass(60_000);
    assert.equal(fixture.posts.length, 1);
    assert.deepEqual(errorsOf(only()), [null]);
    assert.deepEqual([only().state.status, only().state.counted], ['succeeded', 1]);
  });

  test('a lost answer of one that landed, and nobody hands it on again', async () => {
    nextInsert((commit, group) => commit(group).then(unsaid));
    await assert.rejects(fixture.happen('one'));
    await fixture.pass(60_000);
    assert.equal(fixture.posts.length, 1);
    assert.equal(only().state.status, 'succeeded');
  });

  test('one that did not land gives its place back, and is posted when it is repeated', async () => {
    for (let n = 0; n < 20; n++) {
      nextInsert(unsaid);
      await assert.rejects(fixture.happen('one'));
      await fixture.settle();
    }
    assert.equal(fixture.deliveries().length, 0);
    await happens('one');
    assert.equal(fixture.posts.length, 1);
    assert.equal(only().state.revision, 3);
  });

  test('one that was handed on twice at once is posted once', async () => {
    await Promise.all([fixture.happen('one'), fixture.happen('one')]);
    await fixture.pass(60_000);
    await fixture.happen('one');
    await fixture.pass(60_000);
    assert.equal(fixture.posts.length, 1);
  });
});

describe('an insert that does not claim', () => {
  const inserted = async (): Promise<DeliveryDocument> => {
    const writes = watched();
    await happens('one');
    const [insert] = writes.flatMap((write) => ('insert' in write ? [write] : []));
    assert.ok(insert);
    return insert.document as DeliveryDocument;
  };

  test('of a disabled subscription', async () => {
    fixture.subscription('a', { enabled: false });
    assert.equal((await inserted()).state.status, 'parked');
    assert.equal(fixture.posts.length, 0);
  });

  test('while the breaker is open, and until what was parked is taken up', async () => {
    fixture.answers = () => answered(500);
    for (let n = 0; n < 12; n++) fixture.record('a');
    await fixture.settle();
    assert.equal((await inserted()).state.epoch, 0);
    assert.equal(fixture.posts.length, 12);
  });

  test('while others wait in front of it', async () => {
    fixture.answers = never;
    for (let n = 0; n < 20; n++) fixture.record('a');
    await fixture.settle();
    assert.equal((await inserted()).state.epoch, 0);
  });

  test('among many: the slots are left to what waits for one', async () => {
    const writes = watched();
    await fixture.happen(...Array.from({ length: 201 }, (_, n) => `event ${n}`));
    for (const write of writes) {
      assert.ok(
        'insert' in write && Reflect.get(Object(Object(write.document).state), 'epoch') === 0,
      );
    }
    await fixture.pass(1_000);
    assert.equal(fixture.posts.length, 201);
    await happens('one');
    assert.ok(fixture.deliveries().some(({ state }) => state.revision === 3 && state.epoch > 0));
  });

  test('while one before it could not be judged', async () => {
    await fixture.pass(2_000);
    const { find } = fixture.store;
    fixture.store.find = () => Promise.reject(new Error('the store is away'));
    fixture.record('a');
    await fixture.settle();
    fixture.store.find = find;
    assert.equal((await inserted()).state.epoch, 0);
    await fixture.pass(2_000);
    assert.equal(fixture.deliveries('succeeded').length, 2);
  });

  test('just after a change of owner, and while the owner hands over', async () => {
    await fixture.own();
    assert.equal((await inserted()).state.epoch, 0);
    await fixture.pass(12_000);
    await fixture.drain();
    const before = fixture.posts.length;
    await happens('two');
    assert.ok(fixture.deliveries('pending').some(({ state }) => state.epoch === 0));
    assert.equal(fixture.posts.length, before);
  });
});

/** The same delivery, as an owner without a delivery worker for it records it. */
function recordedBefore([insert]: readonly Write[]): DeliveryDocument {
  assert.ok(insert && 'insert' in insert);
  const delivery = insert.document as DeliveryDocument;
  const unclaimed = {
    ...delivery.state,
    ...{ epoch: 0, revision: 1, counted: 0, underWay: null, nextAttemptAt: delivery.createdAt },
  };
  return { ...delivery, state: unclaimed };
}
