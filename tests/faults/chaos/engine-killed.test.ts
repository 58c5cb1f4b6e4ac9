/**
 * kill -9 of the MongoDB engine alone, during several writes at once. All writes it has answered
 * are there when it is back, also those that did not wait for the journal (I1, D91: the embedded
 * engine). It is killed alone, since few kills hit the critical moment, and here each costs a
 * second.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Collection, MongoClient, MongoError } from 'mongodb';
import { engineAddress } from '../../../infra/programs/service/mongo-engine/address.ts';
import { environment, type Launched, launch } from '../../support/launch.ts';
import { waitFor } from '../../support/wait-for.ts';

const KILLS = 20;
const WRITERS = 6;
/** More of them, and each kill finds more writes under way. */
const WRITES_BEFORE_KILL = 400;
/** A standalone server does not wait for its journal then. */
const UNJOURNALED = { ordered: false, writeConcern: { w: 'majority' } } as const;

interface Entry {
  readonly _id: string;
  readonly writer: number;
}

const folder = mkdtempSync(join(tmpdir(), 'recado-engine-'));
const { url } = engineAddress(folder);
let engine: Launched | null = null;
let client: MongoClient | null = null;

after(async () => {
  await client?.close();
  await engine?.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function openEngine(): Promise<Collection<Entry>> {
  const settings = { ...environment(folder), DATA_DIR: folder };
  engine = launch(['infra/programs/service/mongo-engine/main.ts'], settings);
  client = await waitFor(connected, { what: 'the engine answers' });
  return client.db('recado').collection<Entry>('entries');
}

/** Null while the server does not answer; a client that could not connect does not try again. */
async function connected(): Promise<MongoClient | null> {
  const asked = new MongoClient(url, { serverSelectionTimeoutMS: 500, retryWrites: false });
  try {
    await asked.db('recado').command({ ping: 1 });
    return asked;
  } catch (error) {
    assert.ok(error instanceof MongoError);
    await asked.close();
    return null;
  }
}

/** Writes until the engine is killed; keeps the names of the answered writes. */
async function write(entries: Collection<Entry>, writer: number, answered: string[]) {
  for (let count = 0; ; count++) {
    const some = [0, 1].map((n) => ({ _id: `${engine?.pid}-${writer}-${count}-${n}`, writer }));
    try {
      await entries.insertMany(some, UNJOURNALED);
      answered.push(...some.map(({ _id }) => _id));
    } catch (error) {
      assert.ok(error instanceof MongoError);
      return;
    }
  }
}

test('what was answered outlives each of several kills', async () => {
  let answered: string[] = [];
  for (let kills = 0; ; kills++) {
    const entries = await openEngine();
    const there = await entries.find({}, { projection: { _id: 1 } }).toArray();
    const found = new Set(there.map(({ _id }) => _id));
    const lost = answered.filter((name) => !found.has(name));
    assert.deepEqual(lost, [], `of ${answered.length} answered before kill ${kills}`);
    if (kills === KILLS) return;
    answered = [];
    const writing = Array.from({ length: WRITERS }, (_, n) => write(entries, n, answered));
    await waitFor(() => answered.length >= WRITES_BEFORE_KILL, { what: 'some writes' });
    await engine?.stop('SIGKILL');
    await Promise.all(writing);
    await client?.close();
  }
});
