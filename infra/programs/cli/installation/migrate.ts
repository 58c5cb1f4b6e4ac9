/**
 * `recado migrate`: takes over the database of an older release. The service must not run. Of the
 * embedded engine, a process of its own serves the data folder meanwhile.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../../../shared/ports/log.ts';
import { connectMongo } from '../../../adapters/mongo/client.ts';
import { type Migrated, migrate } from '../../../adapters/mongo/migration.ts';
import type { Config, Environment } from '../../../config/config.ts';
import { engineAddress } from '../../service/mongo-engine/address.ts';
import { describeDatabase } from '../../service/mongo-engine/database-place.ts';
import { lockData } from '../../service/supervisor/data-folder/lock.ts';
import { StartRefused } from '../../service/supervisor/start/start-refused.ts';
import { ServiceFailed } from '../service/failure.ts';

const ENGINE = join(dirname(fileURLToPath(import.meta.url)), '../../service/mongo-engine/main.ts');
const POLL_MS = 50;

export interface MigrateContext {
  readonly config: () => Config;
  readonly environment: Environment;
  readonly log: Log;
}

/** @throws {ServiceFailed} where the database cannot be migrated now, or at all */
export async function migrateDatabase({ config, environment, log }: MigrateContext) {
  const settings = config();
  const { mongodbUrl, dataDir } = settings;
  if (mongodbUrl !== undefined) return await migrateAt(mongodbUrl, settings, log);
  if (!existsSync(join(dataDir, 'mongo'))) {
    throw new ServiceFailed(`There is no database in ${dataDir}: nothing is to be migrated.`);
  }
  return await withEngine(settings, environment, (url) => migrateAt(url, settings, log));
}

async function migrateAt(url: string, config: Config, log: Log): Promise<Migrated> {
  const mongo = await connectMongo(url, log);
  try {
    const migrated = await migrate(mongo, describeDatabase(mongo.db, url, config));
    if ('refused' in migrated) throw new ServiceFailed(migrated.refused);
    return migrated;
  } finally {
    await mongo.client.close();
  }
}

/** The data folder is locked meanwhile: `npm start` on it is refused. */
async function withEngine<T>(
  { dataDir }: Config,
  environment: Environment,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const lock = await lockData(dataDir).catch((cause: unknown) => {
    if (cause instanceof StartRefused) throw new ServiceFailed(cause.message, { cause });
    throw cause;
  });
  const env = { ...environment, DATA_DIR: dataDir };
  // By its channel it ends with this process, however that ends.
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
  const engine = spawn(process.execPath, [ENGINE], { env, stdio: [...stdio] });
  try {
    lock.note(engine.pid === undefined ? [] : [engine.pid]);
    const { url, socketPath } = engineAddress(dataDir);
    await opened(engine, socketPath);
    return await work(url);
  } finally {
    engine.kill('SIGTERM');
    if (engine.exitCode === null && engine.signalCode === null) await once(engine, 'exit');
    lock.release();
  }
}

/** The engine publishes its socket once it is open. */
async function opened(engine: ChildProcess, socketPath: string): Promise<void> {
  while (!existsSync(socketPath)) {
    if (engine.exitCode !== null || engine.signalCode !== null) {
      throw new ServiceFailed('The embedded MongoDB engine did not open the data folder.');
    }
    await pause(POLL_MS);
  }
}

export function renderMigrated({ from, to, ...rest }: Migrated): string {
  if (from === null) return `Nothing is to be migrated: the schema number is ${to}.\n`;
  const { entries, seconds, minutesPerMillionEntries } = rest;
  const rate =
    minutesPerMillionEntries === null
      ? ''
      : `: ${minutesPerMillionEntries} minutes per million entries`;
  return (
    `The schema number was raised from ${from} to ${to}.\n` +
    `${entries} entries in ${seconds} s${rate}.\n`
  );
}
