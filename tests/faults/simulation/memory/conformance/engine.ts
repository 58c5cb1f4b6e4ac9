/** The real engine, on a folder of its own, for as long as a test runs. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMongo, type MongoConnection } from '../../../../../infra/adapters/mongo/client.ts';
import { ensureIndexes } from '../../../../../infra/adapters/mongo/indexes.ts';
import { engineAddress } from '../../../../../infra/programs/service/mongo-engine/address.ts';
import { SILENT } from '../../../../support/engine.ts';
import { environment, launch } from '../../../../support/launch.ts';

export interface Engine {
  readonly mongo: MongoConnection;
  stop(): Promise<void>;
}

export async function startEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'recado-engine-'));
  const program = ['infra/programs/service/mongo-engine/main.ts'];
  const settings = { ...environment(folder), DATA_DIR: folder, LOG_LEVEL: 'warn' };
  const engine = launch(program, settings);
  const { socketPath, url } = engineAddress(folder);
  await engine.until(() => existsSync(socketPath), 'an engine');
  const mongo = await connectMongo(url, SILENT);
  await ensureIndexes(mongo.db);
  return {
    mongo,
    async stop() {
      await mongo.client.close();
      const code = await engine.stop();
      rmSync(folder, { recursive: true, force: true });
      assert.equal(code, 0, 'the engine ends by itself');
    },
  };
}
