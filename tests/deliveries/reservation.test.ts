/** Deliveries that are claimed by the insert that records them, in memory. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { changed, type DeliveryDocument } from '../../actors/subscription/documents.ts';
import type { Store, Write } from '../../shared/ports.ts';
import { answered, Scene } from './scene.ts';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.owned('a');
});

/** What was written about deliveries, write by write. */
function watched(): Write[] {
  const writes: Write[] = [];
  const { commit } = scene.store;
  scene.store.commit = async (group) => {
    writes.push(...group);
    return commit(group);
  };
  return writes;
}

/** The next insert is carried out by `carryOut`; whatever comes after it as ever. */
function nextInsert(carryOut: (commit: Store['commit'], group: readonly Write[]) => unknown): void {
  const { commit } = scene.store;
  let met = false;
  scene.store.commit = async (group) => {
    const [first] = group;
    if (met || !first || !('insert' in first)) return commit(group);
    met = true;
    await carryOut(commit, group);
    return commit(group);
  };
}

const only = (): DeliveryDocument => {
  const [delivery, ...others] = scene.deliveries();
  assert.ok(delivery && others.length === 0);
  return delivery;
};
const errorsOf = ({ state }: DeliveryDocument) => state.attempts.map(({ error }) => error);

describe('a delivery that is claimed by its insert', () => {
  test('costs two writes, and is posted after the first', async () => {
    const writes = watched();
    let postedAfter = 0;
    scene.answers = () => {
      postedAfter = writes.length;
      return answered(200);
    };
    await scene.happen('one');
    await scene.settle();
    assert.equal(scene.posts.length, 1);
    assert.deepEqual([postedAfter, writes.length], [1, 2]);
    const { state } = only();
    assert.deepEqual([state.status, state.counted, state.revision], ['succeeded', 1, 3]);
  });

  test('is as the claim would have left it', async () => {
    scene.answers = () => new Promise(() => undefined);
    await scene.happen('one');
    await scene.settle();
    const born = only();
    const { _id } = scene.record('a');
    await scene.settle();
    const claimed = scene.deliveries().find((each) => each._id === _id);
    assert.deepEqual(born.state, claimed?.state);
  });

  test('is not posted before the insert is journaled', async () => {
    let release = (): void => undefined;
    nextInsert(() => new Promise<void>((resume) => (release = resume)));
    const done = scene.happen('one');
    await scene.settle();
    assert.equal(scene.posts.length, 0);
    release();
    await done;
    await scene.settle();
    assert.equal(scene.posts.length, 1);
  });

  test('is not posted when the lease ended before that; the next owner finds it', async () => {
    let release = (): void => undefined;
    nextInsert(() => new Promise<void>((resume) => (release = resume)));
    const done = scene.happen('one');
    await scene.settle();
    await scene.own();
    release();
    await done;
    await scene.settle();
    assert.equal(scene.posts.length, 0);
    await scene.pass(30_000);
    assert.equal(scene.posts.length, 1);
    assert.deepEqual(errorsOf(only()), ['interrupted', null]);
    assert.equal(only().state.counted, 2);
  });

  test('is settled by the next owner if its owner died while it posted', async () => {
    scene.answers = () => new Promise(() => undefined);
    await scene.happen('one');
    await scene.settle();
    scene.answers = () => answered(200);
    await scene.own();
    await scene.pass(30_000);
    assert.equal(scene.posts.length, 2);
    assert.deepEqual(errorsOf(only()), ['interrupted', null]);
  });

  test('has its claim given back when a POST before it lasts', async () => {
    await scene.happen('answered');
    await scene.settle();
    scene.answers = () => new Promise(() => undefined);
    for (let n = 0; n < 12; n++) await scene.happen(`event ${n}`);
    await scene.settle();
    const counted = (times: number) =>
      scene.deliveries('pending').filter(({ state }) => state.counted === times).length;
    assert.deepEqual([scene.posts.length, counted(1)], [9, 12]);
    await scene.pass(200, 100);
    assert.deepEqual([scene.posts.length, counted(1), counted(0)], [9, 8, 4]);
  });
});

describe('an insert that claims nothing', () => {
  test('one that another made before is attempted on its own claim', async () => {
    const writes = watched();
    nextInsert((commit, group) => {
      const [insert] = group;
      assert.ok(insert && 'insert' in insert);
      const { delivery } = recordedBefore(insert.document);
      return commit([{ insert: 'deliveries', document: delivery }]);
    });
    let claimedBefore = false;
    scene.answers = () => {
      claimedBefore = writes.some((write) => 'insert' in write && write.insert === 'claims');
      return answered(200);
    };
    await scene.happen('one');
    await scene.settle();
    assert.equal(scene.posts.length, 1);
    assert.ok(claimedBefore, 'before it was posted');
    assert.deepEqual([only().state.status, only().state.counted], ['succeeded', 1]);
  });

  test('one that has succeeded before is not posted', async () => {
    nextInsert((commit, group) => {
      const [insert] = group;
      assert.ok(insert && 'insert' in insert);
      const { delivery } = recordedBefore(insert.document);
      const ended = { ...delivery.state, status: 'succeeded' as const, nextAttemptAt: null };
      const document = changed(delivery, ended, { epoch: 1, now: 0 });
      return commit([{ insert: 'deliveries', document }]);
    });
    await scene.happen('one');
    await scene.pass(60_000);
    assert.equal(scene.posts.length, 0);
  });

  test('a lost answer of one that landed: it is handed on again, and spends no attempt', async () => {
    nextInsert(async (commit, group) => {
      await commit(group);
      throw new Error('the store could not say whether it wrote');
    });
    await assert.rejects(scene.happen('one'));
    await scene.happen('one');
    await scene.settle();
    await scene.pass(60_000);
    assert.equal(scene.posts.length, 1);
    assert.deepEqual(errorsOf(only()), [null]);
    assert.deepEqual([only().state.status, only().state.counted], ['succeeded', 1]);
  });

  test('a lost answer of one that landed, and nobody hands it on again', async () => {
    nextInsert(async (commit, group) => {
      await commit(group);
      throw new Error('the store could not say whether it wrote');
    });
    await assert.rejects(scene.happen('one'));
    await scene.pass(60_000);
    assert.equal(scene.posts.length, 1);
    assert.equal(only().state.status, 'succeeded');
  });

  test('one that did not land gives its place back, and is posted when it is repeated', async () => {
    for (let n = 0; n < 20; n++) {
      nextInsert(() => {
        throw new Error('the store could not say whether it wrote');
      });
      await assert.rejects(scene.happen('one'));
      await scene.settle();
    }
    assert.equal(scene.deliveries().length, 0);
    await scene.happen('one');
    await scene.settle();
    assert.equal(scene.posts.length, 1);
    assert.equal(only().state.revision, 3);
  });

  test('one that was handed on twice at once is posted once', async () => {
    await Promise.all([scene.happen('one'), scene.happen('one')]);
    await scene.pass(60_000);
    await scene.happen('one');
    await scene.pass(60_000);
    assert.equal(scene.posts.length, 1);
  });
});

describe('an insert that does not claim', () => {
  const inserted = async (): Promise<DeliveryDocument> => {
    const writes = watched();
    await scene.happen('one');
    await scene.settle();
    const [insert] = writes.flatMap((write) => ('insert' in write ? [write] : []));
    assert.ok(insert);
    return insert.document as DeliveryDocument;
  };

  test('of a disabled subscription', async () => {
    scene.subscription('a', { enabled: false });
    assert.equal((await inserted()).state.status, 'parked');
    assert.equal(scene.posts.length, 0);
  });

  test('while the breaker is open, and until what was parked is taken up', async () => {
    scene.answers = () => answered(500);
    for (let n = 0; n < 12; n++) scene.record('a');
    await scene.settle();
    assert.equal((await inserted()).state.epoch, 0);
    assert.equal(scene.posts.length, 12);
  });

  test('while others wait in front of it', async () => {
    scene.answers = () => new Promise(() => undefined);
    for (let n = 0; n < 20; n++) scene.record('a');
    await scene.settle();
    assert.equal((await inserted()).state.epoch, 0);
  });

  test('among many: the slots are left to what waits for one', async () => {
    const writes = watched();
    await scene.happen(...Array.from({ length: 201 }, (_, n) => `event ${n}`));
    assert.ok(
      writes.every(
        (write) => 'insert' in write && Reflect.get(Object(write.document.state), 'epoch') === 0,
      ),
    );
    await scene.pass(1_000);
    assert.equal(scene.posts.length, 201);
    await scene.happen('one');
    await scene.settle();
    assert.ok(scene.deliveries().some(({ state }) => state.revision === 3 && state.epoch > 0));
  });

  test('while one before it could not be judged', async () => {
    await scene.pass(2_000);
    const { find } = scene.store;
    scene.store.find = () => Promise.reject(new Error('the store is away'));
    scene.record('a');
    await scene.settle();
    scene.store.find = find;
    assert.equal((await inserted()).state.epoch, 0);
    await scene.pass(2_000);
    assert.equal(scene.deliveries('succeeded').length, 2);
  });

  test('just after a change of owner, and while the owner hands over', async () => {
    await scene.own();
    assert.equal((await inserted()).state.epoch, 0);
    await scene.pass(12_000);
    await scene.rest();
    const before = scene.posts.length;
    await scene.happen('two');
    await scene.settle();
    assert.ok(scene.deliveries('pending').some(({ state }) => state.epoch === 0));
    assert.equal(scene.posts.length, before);
  });
});

/** The same delivery, as an owner that has no desk at hand records it. */
function recordedBefore(document: unknown): { delivery: DeliveryDocument } {
  const delivery = document as DeliveryDocument;
  const unclaimed = {
    ...delivery.state,
    ...{ epoch: 0, revision: 1, counted: 0, underWay: null, nextAttemptAt: delivery.createdAt },
  };
  return { delivery: { ...delivery, state: unclaimed } };
}
