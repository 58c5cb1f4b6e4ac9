/** An installation chooses once how it derives its names: its first process decides. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readInstallation } from '../../infra/adapters/mongo/installation.ts';
import { type Engine, startEngine } from './engine.ts';

const TIMEOUT = { timeout: 60_000 };

let engine: Engine;

before(async () => {
  engine = await startEngine();
}, TIMEOUT);
after(() => engine?.close());

const collection = () => engine.mongo.db.collection<{ _id: string; salt?: string }>('installation');

describe('the installation on the real engine', TIMEOUT, () => {
  test('is made once, however many start together, and places its conversations', async () => {
    await collection().deleteMany({});
    const read = await Promise.all([1, 2, 3, 4].map(() => readInstallation(engine.mongo.db)));
    const [first] = read;
    for (const each of read) assert.deepEqual(each, first);
    assert.equal(Buffer.from(first?.salt ?? '', 'base64').length, 32);
    assert.equal(first?.placesConversations, true);
  });

  test('that has named conversations without their place goes on doing so', async () => {
    await collection().deleteMany({});
    await collection().insertOne({ _id: 'installation', salt: 'c2FsdA==' });
    const before = { salt: 'c2FsdA==', placesConversations: false };
    assert.deepEqual(await readInstallation(engine.mongo.db), before);
    assert.deepEqual(await readInstallation(engine.mongo.db), before);
  });
});
