/**
 * Writes that the store has answered survive kill -9 of a standalone MongoDB, however soon. That
 * also holds on an engine without the settings of the embedded one.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { connectMongo, type MongoConnection } from '../../../infra/adapters/mongo/client.ts';
import { createStore } from '../../../infra/adapters/mongo/store.ts';
import { engineAddress } from '../../../infra/programs/service/mongo-engine/address.ts';
import { Child } from '../../../infra/programs/service/supervisor/children/child.ts';
import { SILENT } from '../../support/engine.ts';
import type { Store, Write } from '../../support/plain-store.ts';
import { waitFor } from '../../support/wait-for.ts';

const ROUNDS = 10;
const WRITERS = 8;
const ANSWERS_BEFORE_A_KILL = 150;

const folder = mkdtempSync(join(tmpdir(), 'recado-journaled-'));
const dataDir = join(folder, 'data');
const engine = new Child(
  {
    role: 'mongo',
    args: ['tests/faults/fencing/bare-engine.ts', dataDir],
    cwd: resolve(import.meta.dirname, '../../..'),
    env: { ...process.env, TMPDIR: folder },
    logFile: join(folder, 'mongo.log'),
  },
  { changed: () => undefined, died: () => undefined, refused: () => undefined },
);
let mongo: MongoConnection;
let store: Store;

before(async () => {
  engine.start();
  mongo = await connectMongo(engineAddress(dataDir).url, SILENT);
  store = createStore(mongo);
});
after(async () => {
  await mongo?.client.close();
  await engine.stop(0);
  rmSync(folder, { recursive: true, force: true });
});

/** An insert and, every other time, an update with it: the two ways a group travels. */
function writesOf(id: string, counter: number): readonly Write[] {
  const insert = { insert: 'entries', document: { _id: id, text: 'x'.repeat(200) } };
  const change = { $set: { n: counter } };
  const update = { update: 'breakers', filter: { _id: id }, change, upsert: true } as const;
  return counter % 2 === 0 ? [insert] : [insert, update];
}

/** Writes until the engine is gone; tells each id at the moment its commit was answered. */
async function write(name: string, told: (id: string) => void): Promise<void> {
  for (let counter = 0; ; counter++) {
    const id = `${name}-${counter}`;
    try {
      await store.commit(writesOf(id, counter));
    } catch (error) {
      assert.ok(error instanceof Error);
      return;
    }
    told(id);
  }
}

async function missing(collection: string, ids: readonly string[]): Promise<string[]> {
  const found = await waitFor(
    () => store.find(collection, { _id: { $in: ids } }).catch(() => null),
    { what: 'the engine is back' },
  );
  const there = new Set(found.map(({ _id }) => _id));
  return ids.filter((id) => !there.has(id));
}

test('no answered commit is lost', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const answered: string[] = [];
    const told = (id: string) => {
      answered.push(id);
      if (answered.length === ANSWERS_BEFORE_A_KILL && engine.pid !== null) {
        process.kill(engine.pid, 'SIGKILL');
      }
    };
    const names = Array.from({ length: WRITERS }, (_, writer) => `${round}-${writer}`);
    await Promise.all(names.map((name) => write(name, told)));
    assert.ok(answered.length >= ANSWERS_BEFORE_A_KILL, 'they wrote until the kill');
    const updated = answered.filter((id) => Number(id.split('-')[2]) % 2 === 1);
    assert.deepEqual(await missing('entries', answered), [], `inserts of round ${round}`);
    assert.deepEqual(await missing('breakers', updated), [], `updates of round ${round}`);
  }
});
