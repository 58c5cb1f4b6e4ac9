/** The record of an installation: its first process makes it, and another schema is refused. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { openInstallation, SCHEMA } from '../../../infra/adapters/mongo/installation.ts';
import { migrate } from '../../../infra/adapters/mongo/migration.ts';
import { createRegistry } from '../../../infra/adapters/mongo/registry.ts';
import { LEASE_MS } from '../../../shared/limits.ts';
import type { Registry } from '../../../shared/ports/registry.ts';
import { VERSION } from '../../../shared/version.ts';
import { fileEngine } from '../../support/engine.ts';
import { waitUntil } from '../../support/wait-for.ts';

const NAME = 'The database "recado" in /data/mongo';

const engine = fileEngine();

const records = () => engine.mongo.db.collection<{ _id: string }>('installation');
const opened = () => openInstallation(engine.mongo, NAME);

describe('the installation on the real engine', () => {
  test('is made once, however many start together', async () => {
    await records().deleteMany({});
    const [first, ...others] = await Promise.all([1, 2, 3, 4].map(opened));
    assert.ok(first && 'salt' in first);
    for (const each of others) assert.deepEqual(each, first);
    assert.equal(Buffer.from(first.salt, 'base64').length, 32);
    const stored = { _id: 'installation', salt: first.salt, schema: SCHEMA, version: VERSION };
    assert.deepEqual(await records().find().toArray(), [stored]);
    assert.deepEqual(await opened(), first, 'a later start finds it');
  });

  test('is made by each of two first starts, one of which has written more already', async () => {
    for (let round = 0; round < 20; round++) {
      await records().deleteMany({});
      await engine.mongo.db.collection('members').deleteMany({});
      const start = async () => {
        const installation = await opened();
        await engine.mongo.db.collection('members').insertOne({});
        return installation;
      };
      const found = await Promise.all([start(), start(), start()]);
      for (const each of found) assert.ok('salt' in each);
    }
  });

  test('another number, and data without one, are refused and stay as they are', async () => {
    const reads = `and release ${VERSION} reads ${SCHEMA} only`;
    const cases = [
      [{ schema: 7, version: '9.9.9' }, 'the schema number 7 of release 9.9.9'],
      [{ schema: 0 }, 'the schema number 0'],
      [{}, 'no schema number'],
    ] as const;
    for (const [fields, found] of cases) {
      const record = { _id: 'installation', salt: 'c2FsdA==', ...fields };
      await records().deleteMany({});
      await records().insertOne(record);
      const refusal = await opened();
      assert.ok('refused' in refusal);
      assert.ok(refusal.refused.startsWith(`${NAME} has ${found}, ${reads}: `), refusal.refused);
      assert.deepEqual(await records().find().toArray(), [record]);
    }
    await records().deleteMany({});
    await engine.mongo.db.collection('contacts').insertOne({});
    const refusal = await opened();
    assert.ok('refused' in refusal && refusal.refused.includes('has no schema number'));
    assert.equal(await records().countDocuments(), 0);
  });

  describe('of a release before', () => {
    const old = { id: 'prc_old', kinds: ['channel'], weight: 1, pid: 1 } as const;
    const collection = (name: string) => engine.mongo.db.collection(name);
    const migrated = () => migrate(engine.mongo, NAME);
    const record = (schema: number) => {
      return { _id: 'installation', salt: 'c2FsdA==', schema, version: '0.9.0' };
    };
    const raised = { ...record(SCHEMA), version: VERSION };
    let registry: Registry;

    beforeEach(async () => {
      registry = createRegistry(engine.mongo);
      for (const name of ['installation', 'members', 'contacts']) {
        await collection(name).deleteMany({});
      }
    });

    for (const schema of [1, 2]) {
      test(`${schema} stops a start with a sentence, and is raised by a migration alone`, async () => {
        await records().insertOne(record(schema));
        const refusal = await opened();
        assert.ok('refused' in refusal);
        const remedy = /: stop every process of the older release, make a copy .* -- migrate"\.$/;
        assert.match(refusal.refused, remedy);
        assert.deepEqual(await records().find().toArray(), [record(schema)]);
        const done = await migrated();
        assert.ok('to' in done);
        assert.deepEqual([done.from, done.to], [schema, SCHEMA]);
        assert.deepEqual(await records().find().toArray(), [raised]);
        assert.deepEqual(await opened(), { salt: raised.salt });
        const again = await migrated();
        assert.ok('to' in again && again.from === null);
      });
    }

    test('is migrated once the lease of a killed process has ended', async () => {
      await records().insertOne(record(2));
      await registry.join(old);
      assert.ok('to' in (await migrated()));
      assert.deepEqual(await records().find().toArray(), [raised]);
    });

    test('stays as it is beside a process that lives', async () => {
      await records().insertOne(record(2));
      await registry.join(old);
      const renewals = setInterval(() => void registry.join(old), 200);
      try {
        const refusal = await migrated();
        assert.ok('refused' in refusal);
        assert.match(refusal.refused, /is in use: stop every process, then migrate again\.$/);
        assert.deepEqual(await records().find().toArray(), [record(2)]);
      } finally {
        clearInterval(renewals);
      }
    });

    test('stays as it is beside a process that has read its number before, and joins late', async () => {
      await records().insertOne(record(2));
      const migration = migrated();
      await waitUntil('the number is raised', () => records().findOne({ schema: SCHEMA }));
      await setTimeout(LEASE_MS / 2);
      await registry.join(old);
      const refusal = await migration;
      assert.ok('refused' in refusal);
      assert.match(refusal.refused, /is in use: stop every process, then migrate again\.$/);
      assert.deepEqual(await records().find().toArray(), [record(2)]);
    });

    test('does not end its migration beside a process that joined during the work', async () => {
      await records().insertOne(record(2));
      const { db } = engine.mongo;
      const command = async (asked: Document) => {
        await registry.join(old);
        return db.command(asked);
      };
      const watched: Db = Object.create(db, { command: { value: command } });
      assert.ok('refused' in (await migrate({ ...engine.mongo, db: watched }, NAME)));
      const refusal = await opened();
      assert.ok('refused' in refusal && refusal.refused.includes('is being migrated'));
      await registry.leave(old.id);
      const done = await migrated();
      assert.ok('to' in done);
      assert.equal(done.from, 2);
      assert.deepEqual(await records().find().toArray(), [raised]);
    });

    test('no release starts on a migration that was killed, and the next one ends it', async () => {
      await records().insertOne({ ...record(SCHEMA), ...{ migratedFrom: 1 } });
      const refusal = await opened();
      assert.ok('refused' in refusal);
      assert.match(
        refusal.refused,
        /is being migrated: .* -- migrate" ends it, also after a crash/,
      );
      const done = await migrated();
      assert.ok('to' in done);
      assert.equal(done.from, 1);
      assert.deepEqual(await records().find().toArray(), [raised]);
    });

    test('another number, an empty database and one without a record are not migrated', async () => {
      const empty = await migrated();
      assert.ok('to' in empty && empty.from === null);
      assert.equal(await records().countDocuments(), 0);
      await records().insertOne(record(9));
      const refusal = await migrated();
      assert.ok('refused' in refusal && refusal.refused.includes('the schema number 9'));
      assert.deepEqual(await records().find().toArray(), [record(9)]);
    });

    test('its agendas get new indexes, and lose those that were replaced', async () => {
      await records().insertOne(record(2));
      const tasks = collection('tasks');
      await tasks.dropIndexes();
      const partialFilterExpression = { remindAt: { $exists: true } };
      await tasks.createIndex({ partition: 1, remindAt: 1, _id: 1 }, { partialFilterExpression });
      assert.ok('to' in (await migrated()));
      const keys = (await tasks.indexes()).map(({ key }) => JSON.stringify(key));
      assert.ok(keys.includes('{"partition":1,"remindAt":1,"_id":1,"place":1}'));
      assert.ok(!keys.includes('{"partition":1,"remindAt":1,"_id":1}'));
    });
  });
});
