/**
 * A run on a replica set that is not the run's own (`npm run chaos -- --mongodb URL`): its operator
 * takes the primary away, and finds the run's database gone and any other as it was.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileEngine } from '../../support/engine.ts';
import { ReplicaSet, socketOf } from '../../support/replica-set/set.ts';
import { ownDatabase } from './program/own-database.ts';
import { run } from './program/run.ts';

const TIMES = { quietMs: 2_000, faultsMs: 10_000, healedMs: 3_000 };
const PATIENCE = { answeredWithinMs: 240_000, drainMs: 150_000 };
/** A primary is away for so long, within the time of the run's own faults. */
const AWAY_MS = 3_000;

const engine = fileEngine();

test('a lost primary is survived, and nothing but the own database is dropped', async (t) => {
  const set = new ReplicaSet(() => 0.5);
  const server = await set.listen(socketOf(engine.uri));
  const theirs = engine.mongo.client.db('theirs').collection('notes');
  await theirs.insertOne({ n: 1 });
  const own = await ownDatabase(server.mongodbUrl);
  assert.ok(!('refused' in own));
  const fails = async (sentence: string): Promise<void> => {
    t.diagnostic(sentence);
    if (!sentence.includes('kill')) return;
    set.lose();
    await pause(AWAY_MS);
    set.elect();
  };
  let failing = Promise.resolve();
  const { lines, violations, counted, folder } = await run({
    ...{ ...TIMES, ...PATIENCE, seed: 1, only: ['kill:gateway'], pace: 5, keep: false, mongo: own },
    // With each of the run's own faults.
    tell: (sentence) => {
      failing = failing.then(() => fails(sentence));
    },
  });
  await failing;
  assert.deepEqual(violations, [], `everything is in ${folder}`);
  assert.match(lines.join('\n'), /\d × no-primary/);
  assert.ok((counted.sends?.accepted ?? 0) >= 20, JSON.stringify(counted.sends));
  const { databases } = await engine.mongo.client.db('admin').admin().listDatabases();
  const names = databases.map(({ name }) => name);
  assert.ok(!names.includes(own.name) && names.includes('theirs'), names.join());
  assert.equal(await theirs.countDocuments(), 1);
  await server.close();
});
