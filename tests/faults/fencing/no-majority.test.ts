/**
 * A write that no majority has acknowledged is in doubt (I1): it may stay, and it may be rolled
 * back. So no caller learns of an outcome of it, or of any other write of its group.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { connectMongo, type MongoConnection } from '../../../infra/adapters/mongo/client.ts';
import { createStore } from '../../../infra/adapters/mongo/store.ts';
import { fileEngine, SILENT } from '../../support/engine.ts';
import type { Store, Write } from '../../support/plain-store.ts';
import type { Fate } from '../../support/replica-set/codes.ts';
import { ReplicaSet, type ReplicaSetServer, socketOf } from '../../support/replica-set/set.ts';
import { waitFor } from '../../support/wait-for.ts';

const engine = fileEngine();
let set: ReplicaSet;
let server: ReplicaSetServer;
let mongo: MongoConnection;
let store: Store;

beforeEach(async () => {
  set = new ReplicaSet(() => 0);
  server = await set.listen(socketOf(engine.uri));
  mongo = await connectMongo(server.mongodbUrl, SILENT);
  store = createStore(mongo);
  await mongo.db.collection('entries').deleteMany();
  await store.commit([insert('ent_0'), insert('ent_1')]);
});
afterEach(async () => {
  set.heal();
  await mongo.client.close();
  await server.close();
});

function insert(id: string): Write {
  return { insert: 'entries', document: { _id: id, conversationId: 'cnv_1', seq: id } };
}

function change(id: string, to: object): Write {
  return {
    update: 'entries',
    filter: { _id: id, conversationId: 'cnv_1' },
    change: { $set: { ...to } },
  };
}

async function kept(id: string) {
  return await engine.mongo.db.collection<{ _id: string }>('entries').findOne({ _id: id });
}

const GROUPS = {
  inserts: [insert('ent_2'), insert('ent_0')],
  changes: [change('ent_1', { n: 1 }), change('ent_0', { _id: 'ent_9' })],
} satisfies Record<string, readonly Write[]>;
/** Of each group the first write was applied, and the second is refused by itself. */
const APPLIED = {
  inserts: async () => (await kept('ent_2')) !== null,
  changes: async () => Reflect.get(Object(await kept('ent_1')), 'n') === 1,
};
const DOUBTS: readonly Fate[] = [
  ...([{ concern: 64 }, { concern: 91 }, { concern: 189 }, { concern: 50 }] as const),
  ...([{ error: 50 }, { error: 11602 }, 'cut-after', 'late'] as const),
];

for (const kind of ['inserts', 'changes'] as const) {
  describe(`of a group of ${kind}`, () => {
    test('each write has its own outcome where a majority has them', async () => {
      const [first, second] = await store.commit(GROUPS[kind]);
      assert.deepEqual([first?.ok, second?.ok], [true, false]);
      assert.ok(await APPLIED[kind]());
    });

    for (const fate of DOUBTS) {
      test(`nothing is said where it is applied and answered ${JSON.stringify(fate)}`, async () => {
        set.trouble(({ isWrite }) => (isWrite ? fate : null));
        await assert.rejects(store.commit(GROUPS[kind]), /could not say whether it wrote/);
        assert.ok(await APPLIED[kind]());
      });
    }

    test('nothing is said where it is rolled back', async () => {
      set.withhold();
      const committed = assert.rejects(store.commit(GROUPS[kind]), /could not say/);
      await waitFor(() => set.withheldCount === 1, { what: 'it waits for a majority' });
      set.stepDown();
      await committed;
      assert.equal(await APPLIED[kind](), false);
    });
  });
}

test('a read does not see what no majority has', async () => {
  set.withhold();
  const committed = store.commit([insert('ent_3')]);
  await waitFor(() => set.withheldCount === 1, { what: 'it waits for a majority' });
  assert.equal(await store.byId('entries', 'ent_3'), null);
  await set.catchUp();
  assert.deepEqual(await committed, [{ ok: true }]);
  assert.equal((await store.byId('entries', 'ent_3'))?._id, 'ent_3');
});
