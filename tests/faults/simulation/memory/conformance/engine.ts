/** The real engine, on a folder of its own, for as long as a test runs. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectMongo, type MongoConnection } from '../../../../../infra/adapters/mongo/client.ts';
import { ensureIndexes } from '../../../../../infra/adapters/mongo/indexes.ts';
import { engineAddress } from '../../../../../infra/programs/mongo-engine/address.ts';
import { COMPILE_CACHE } from '../../../../support/compile-cache.ts';
import { waitFor } from '../../../../support/wait-for.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface Engine {
  readonly mongo: MongoConnection;
  stop(): Promise<void>;
}

export async function startEngine(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'recado-engine-'));
  const { args, env } = {
    args: ['infra/programs/mongo-engine/main.ts'],
    env: {
      ...COMPILE_CACHE,
      PATH: '/usr/bin:/bin',
      HOME: folder,
      TMPDIR: folder,
      DATA_DIR: folder,
      LOG_LEVEL: 'warn',
    },
  };
  // The channel has no messages: the engine ends with this process, however that ends.
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const { socketPath, url } = engineAddress(folder);
  await waitFor(() => child.exitCode !== null || existsSync(socketPath), { what: 'an engine' });
  assert.equal(child.exitCode, null, 'the engine runs');
  const mongo = await connectMongo(url, silent);
  await ensureIndexes(mongo.db);
  return {
    mongo,
    async stop() {
      await mongo.client.close();
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
      assert.equal(child.exitCode, 0, 'the engine ends by itself');
    },
  };
}
