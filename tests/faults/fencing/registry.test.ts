/**
 * Members and partitions on the real engine: the dead stay dead, and acquired partitions stay so.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createRegistry } from '../../../infra/adapters/mongo/registry.ts';
import { LEASE_MS } from '../../../shared/limits.ts';
import type { Registry } from '../../../shared/ports/registry.ts';
import { fileEngine } from '../../support/engine.ts';

const engine = fileEngine();
let registry: Registry;

before(() => {
  registry = createRegistry(engine.mongo);
});

const join = (id: string) => registry.join({ id, kinds: ['deal'], weight: 1, pid: 1 });
const living = async () => (await registry.liveMembers()).map(({ id }) => id);
const rowOf = async (name: string) =>
  (await registry.partitions()).find((row) => row.name === name) ?? null;

/** As if the lease had run out by the server's clock. */
async function expire(id: string): Promise<void> {
  const members = engine.mongo.db.collection<{ _id: string }>('members');
  const past = [{ $set: { expiresAt: { $subtract: ['$$NOW', 1] } } }];
  const { modifiedCount } = await members.updateOne({ _id: id }, past);
  assert.equal(modifiedCount, 1);
}

describe('a member on the real engine', () => {
  test('renews while it lives, and never again once its time has run out', async () => {
    await join('late');
    assert.equal(await registry.renew('late'), true);
    await expire('late');
    assert.equal(await registry.renew('late'), false);
    assert.ok(!(await living()).includes('late'));
    assert.equal(await registry.renew('late'), false);
  });

  test('never renews when it was called dead, however much time it had', async () => {
    await join('killed');
    await registry.leave('killed');
    assert.equal(await registry.renew('killed'), false);
    assert.ok(!(await living()).includes('killed'));
  });

  test('is kept for an hour when it is dead, and removed when another joins', async () => {
    const members = engine.mongo.db.collection<{ _id: string }>('members');
    const agoBy = (minutes: number) => [
      { $set: { state: 'dead', expiresAt: { $subtract: ['$$NOW', minutes * 60_000] } } },
    ];
    for (const [id, minutes] of [
      ['ended', 59],
      ['longEnded', 61],
    ] as const) {
      await join(id);
      await members.updateOne({ _id: id }, agoBy(minutes));
    }
    await join('next');
    const kept = await members.find({ _id: { $in: ['ended', 'longEnded', 'next'] } }).toArray();
    assert.deepEqual(kept.map(({ _id }) => _id).toSorted(), ['ended', 'next']);
    assert.ok(!(await living()).includes('ended'));
  });

  test('has the weight that it joined with, and 1 where its document tells none', async () => {
    const weightOf = async () =>
      (await registry.liveMembers()).find(({ id }) => id === 'w')?.weight;
    await registry.join({ id: 'w', kinds: ['deal'], weight: 7, pid: 1 });
    assert.equal(await weightOf(), 7);
    const members = engine.mongo.db.collection<{ _id: string }>('members');
    await members.updateOne({ _id: 'w' }, { $unset: { weight: '' } });
    assert.equal(await weightOf(), 1);
  });
});

describe('a partition on the real engine', () => {
  test('goes to one of those who claim it at once', async () => {
    const free = [{ name: 'deal.1', owner: null, epoch: 0 }];
    const claims = await Promise.all([registry.claim(free, 'a'), registry.claim(free, 'b')]);
    assert.equal(claims.flat().length, 1);
    assert.equal((await rowOf('deal.1'))?.epoch, 1);
  });

  test('is not taken by who saw it before it changed hands', async () => {
    const name = 'deal.2';
    await registry.claim([{ name, owner: null, epoch: 0 }], 'a');
    const seen = { name, owner: 'a', epoch: 1 };
    assert.equal((await registry.claim([seen], 'b')).length, 1);
    assert.deepEqual(await registry.claim([seen], 'c'), []);
    assert.deepEqual(await rowOf(name), { name, owner: 'b', epoch: 2 });
    await registry.release([{ name, epoch: 2 }], 'a');
    assert.equal((await rowOf(name))?.owner, 'b', 'only its owner releases it');
    await registry.release([{ name, epoch: 1 }], 'b');
    assert.equal((await rowOf(name))?.owner, 'b', 'and under the epoch of which it was told');
    await registry.release([{ name, epoch: 2 }], 'b');
    assert.deepEqual(await rowOf(name), { name, owner: null, epoch: 2 });
  });
});

describe('the partitions of one shelf on the real engine', () => {
  const slots = Array.from({ length: 16 }, (_, slot) => slot);

  test('go to as many members at once, each to its own', async () => {
    const free = slots.map((slot) => ({ name: `task.${32 + slot}`, owner: null, epoch: 0 }));
    const claims = free.map((row, at) => registry.claim([row], `m${at}`));
    const claimed = (await Promise.all(claims)).flat();
    assert.deepEqual(
      claimed.map(({ name, owner }) => [name, owner]),
      free.map(({ name }, at) => [name, `m${at}`]),
    );
    const released = claimed.map(({ name, owner, epoch }) =>
      registry.release([{ name, epoch }], owner ?? ''),
    );
    await Promise.all(released);
    for (const { name } of free) {
      assert.deepEqual(await rowOf(name), { name, owner: null, epoch: 1 });
    }
  });

  test('of an earlier release are claimed one by one, under a later epoch', async () => {
    const shelves = engine.mongo.db.collection<{ _id: string }>('partitions');
    await shelves.insertOne({ _id: 'task.3', ...{ owner: 'old', epoch: 9 } });
    const rows = await registry.partitions();
    const old = rows.filter(({ owner }) => owner === 'old');
    assert.deepEqual(
      old,
      slots.map((slot) => ({ name: `task.${48 + slot}`, owner: 'old', epoch: 9 })),
    );
    await registry.claim(old.slice(0, 4), 'a');
    await registry.claim(old.slice(2), 'b');
    for (const [at, { name }] of old.entries()) {
      assert.deepEqual(await rowOf(name), { name, owner: at < 4 ? 'a' : 'b', epoch: 10 });
    }
    const stored = await shelves.findOne({ _id: 'task.3' });
    assert.deepEqual(stored, {
      _id: 'task.3',
      epoch: null,
      runs: [
        { count: 4, owner: 'a', epoch: 10 },
        { count: 12, owner: 'b', epoch: 10 },
      ],
      rev: 2,
    });
  });

  describe('beside a process of an earlier release, which claims whole shelves,', () => {
    interface Before {
      readonly _id: string;
      readonly owner?: string | null | undefined;
      readonly epoch?: number | null | undefined;
    }
    const shelves = () => engine.mongo.db.collection<Before>('partitions');
    /** As that release claims what it has read. */
    const claimAsBefore = async (_id: string) => {
      const { owner, epoch } = (await shelves().findOne({ _id })) ?? assert.fail(_id);
      const update = { $set: { owner: 'old' }, $inc: { epoch: 1 } } as const;
      const updateOne = { filter: { _id, owner, epoch }, update };
      await shelves().bulkWrite([{ updateOne }], { ordered: false });
    };

    test('are not claimed by it once they are written', async () => {
      await shelves().insertOne({ _id: 'task.4', owner: null, epoch: 3 });
      await registry.partitions();
      const free = [
        { name: 'task.64', owner: null, epoch: 3 },
        { name: 'task.80', owner: null, epoch: 0 },
      ];
      assert.equal((await registry.claim(free, 'a')).length, 2);
      for (const id of ['task.4', 'task.5']) await assert.rejects(claimAsBefore(id), /non-numeric/);
      for (const { name } of free) assert.equal((await rowOf(name))?.owner, 'a');
    });

    test('are not taken from it where it was sooner', async () => {
      await shelves().insertOne({ _id: 'task.6', owner: null, epoch: 3 });
      await registry.partitions();
      await claimAsBefore('task.6');
      const free = { name: 'task.96', owner: null, epoch: 3 };
      assert.deepEqual(await registry.claim([free], 'a'), []);
      assert.deepEqual(await rowOf('task.96'), { name: 'task.96', owner: 'old', epoch: 4 });
    });
  });
});

/** As if the server had another clock all at once: the ends of all leases are elsewhere. */
async function jump(ms: number): Promise<void> {
  const members = engine.mongo.db.collection<{ _id: string }>('members');
  await members.updateMany({}, [{ $set: { expiresAt: { $subtract: ['$expiresAt', ms] } } }]);
}

describe('a lease of a replica set whose next primary has another clock', () => {
  let now = 0;
  const ofReplicaSet = () => createRegistry({ db: engine.mongo.db, standalone: false }, () => now);
  const sees = async (reader: Registry, id: string) =>
    (await reader.liveMembers()).some((member) => member.id === id);

  test('does not end early when that clock is ahead', async () => {
    const reader = ofReplicaSet();
    await join('ahead');
    assert.ok(await sees(reader, 'ahead'));
    await jump(30_000);
    assert.ok(await sees(reader, 'ahead'));
    assert.equal(await reader.renew('ahead'), true);
    now += LEASE_MS;
    assert.ok(await sees(reader, 'ahead'), 'renewed');
    await jump(30_000);
    assert.ok(await sees(reader, 'ahead'));
    now += LEASE_MS - 1;
    assert.ok(await sees(reader, 'ahead'));
    now += 1;
    assert.ok(!(await sees(reader, 'ahead')), 'nobody has renewed it for as long as it is');
    assert.equal(await reader.renew('ahead'), false);
  });

  test('ends in time when that clock is behind', async () => {
    for (const reader of [ofReplicaSet(), createRegistry(engine.mongo, () => now)]) {
      await join('behind');
      await jump(-3_600_000);
      assert.ok(await sees(reader, 'behind'));
      now += LEASE_MS;
      assert.ok(!(await sees(reader, 'behind')));
    }
  });

  test('ends at once when it ended longer ago than clocks are apart', async () => {
    await join('long');
    await jump(120_000);
    assert.ok(!(await sees(ofReplicaSet(), 'long')));
    assert.equal(await ofReplicaSet().renew('long'), false);
  });
});
