/** The record of an installation: its first process makes it, and another schema is refused. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { openInstallation, SCHEMA } from '../../../infra/adapters/mongo/installation.ts';
import { createRegistry } from '../../../infra/adapters/mongo/registry.ts';
import type { Registry } from '../../../shared/ports/registry.ts';
import { VERSION } from '../../../shared/version.ts';
import { fileEngine } from '../../support/engine.ts';

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

  describe('of the release before', () => {
    const earlier = { _id: 'installation', salt: 'c2FsdA==', schema: SCHEMA - 1, version: '0.9.0' };
    const raised = { ...earlier, schema: SCHEMA, version: VERSION };
    const old = { id: 'prc_old', kinds: ['channel'], weight: 1, pid: 1 } as const;
    let registry: Registry;

    beforeEach(async () => {
      registry = createRegistry(engine.mongo);
      for (const name of ['installation', 'members', 'contacts']) {
        await engine.mongo.db.collection(name).deleteMany({});
      }
      await records().insertOne(earlier);
    });

    test('is raised where none of its processes lives, however many start together', async () => {
      await registry.join(old);
      await registry.leave(old.id);
      const found = await Promise.all([1, 2, 3].map(opened));
      for (const each of found) assert.deepEqual(each, { salt: earlier.salt });
      assert.deepEqual(await records().find().toArray(), [raised]);
    });

    test('is raised once the lease of a killed process has ended', async () => {
      await registry.join(old);
      assert.deepEqual(await opened(), { salt: earlier.salt });
      assert.deepEqual(await records().find().toArray(), [raised]);
    });

    test('is refused, and stays as it is, beside a process that lives', async () => {
      await registry.join(old);
      const renewals = setInterval(() => void registry.join(old), 200);
      try {
        const refusal = await opened();
        assert.ok('refused' in refusal);
        const remedy = /: stop all processes of the older release first, then start the actors/;
        assert.match(refusal.refused, remedy);
        assert.deepEqual(await records().find().toArray(), [earlier]);
      } finally {
        clearInterval(renewals);
      }
    });
  });
});
