/** The database of a run on servers of the operator's: a new one, and the only one that goes. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { fileEngine } from '../../support/engine.ts';
import { ReplicaSet, type ReplicaSetServer, socketOf } from '../../support/replica-set/set.ts';
import { waitFor } from '../../support/wait-for.ts';
import { naming, ownDatabase, watchPrimary } from './program/own-database.ts';

const engine = fileEngine();
let set: ReplicaSet;
let server: ReplicaSetServer;

beforeEach(async () => {
  set = new ReplicaSet(() => 0);
  server = await set.listen(socketOf(engine.uri));
});
afterEach(() => server.close());

const named = (name: string) => server.mongodbUrl.replace('/?', `/${name}?`);

async function names(): Promise<readonly string[]> {
  const { databases } = await engine.mongo.client.db('admin').admin().listDatabases();
  return databases.map(({ name }) => name);
}

test('is one of a new name, and is the only one that is dropped', async () => {
  await engine.mongo.client.db('theirs').collection('notes').insertOne({ n: 1 });
  const own = await ownDatabase(server.mongodbUrl);
  assert.ok(!('refused' in own));
  assert.match(own.name, /^recado_chaos_[0-9a-f]{8}$/);
  assert.equal(own.mongodbUrl, named(own.name));
  await engine.mongo.client.db(own.name).collection('entries').insertOne({ n: 1 });
  await own.drop();
  const left = await names();
  assert.ok(!left.includes(own.name));
  assert.ok(left.includes('theirs'));
});

test('is refused where it holds something, or where there is no replica set', async () => {
  await engine.mongo.client.db('theirs').collection('notes').insertOne({ n: 1 });
  const refused = 'the database theirs is not empty: name another one';
  assert.deepEqual(await ownDatabase(named('theirs')), { refused });
  const alone = { refused: 'the address leads to no replica set' };
  assert.deepEqual(await ownDatabase(engine.uri), alone);
  const empty = await ownDatabase(named('nothing_yet'));
  assert.ok(!('refused' in empty) && empty.name === 'nothing_yet');
});

test('is named in the address, and whoever logs in does so where they did', () => {
  const at = 'mongodb://one.internal,two.internal:27018';
  assert.equal(naming(at, 'runs'), `${at}/runs`);
  assert.equal(naming(`${at}/?replicaSet=rs`, 'runs'), `${at}/runs?replicaSet=rs`);
  const login = 'mongodb+srv://me:secret@set.internal';
  assert.equal(naming(`${login}/`, 'runs'), `${login}/runs?authSource=admin`);
  assert.equal(naming(`${login}/?w=1`, 'runs'), `${login}/runs?w=1&authSource=admin`);
  assert.equal(naming(`${login}/?authSource=us`, 'runs'), `${login}/runs?authSource=us`);
  assert.equal(naming(`${login}/runs?w=1`, 'runs'), `${login}/runs?w=1`);
});

test("times without a primary are the run's faults", async () => {
  const faults: { readonly from: number; readonly to: number }[] = [];
  const seen = (op: string, body: unknown) => {
    assert.equal(op, 'fault');
    const { kind, parts, from, to } = Object(body);
    assert.deepEqual({ kind, parts }, { kind: 'no-primary', parts: ['mongo'] });
    faults.push({ from, to });
  };
  await using _watched = await watchPrimary(server.mongodbUrl, { seen });
  for (const count of [1, 2]) {
    set.lose();
    set.elect();
    await waitFor(() => faults.length === count, { what: 'the time is recorded' });
  }
  for (const { from, to } of faults) assert.ok(to >= from);
});
