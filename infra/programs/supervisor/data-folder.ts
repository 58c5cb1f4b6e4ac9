/**
 * A data folder that cannot be written. Before the start that is a reason not to start; while the
 * service runs it is told, and the service goes on: its record may lie elsewhere.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { StartRefused } from './start-refused.ts';

/** @throws {StartRefused} when a folder that is there cannot be written by this user */
export function requireWritable({ dataDir, mongodbUrl }: Config): void {
  const folders = ['.', 'logs', 'mail', ...(mongodbUrl === undefined ? ['mongo'] : [])];
  orRefuse(dataDir, () => {
    for (const name of folders) {
      const folder = join(dataDir, name);
      if (statSync(folder, { throwIfNoEntry: false }) === undefined) continue;
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    }
  });
}

/** @throws {StartRefused} where the file system refuses what `work` asks of it */
export function orRefuse<T>(dataDir: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!isOfFileSystem(cause)) throw cause;
    throw cannotUse(dataDir, cause);
  }
}

export function cannotUse(dataDir: string, cause: unknown): StartRefused {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const remedy = 'make it writable for the user who runs this, or set another DATA_DIR';
  return new StartRefused(`DATA_DIR ${dataDir} cannot be used: ${reason}; ${remedy}.`, { cause });
}

/** Runs what may fail without harm to the service; a failure is told when it is another one. */
export function reportFailures(report: (sentence: string) => void): (work: () => void) => void {
  let told = '';
  return (work) => {
    try {
      work();
      told = '';
    } catch (cause) {
      if (!isOfFileSystem(cause)) throw cause;
      const sentence = `DATA_DIR cannot be written: ${cause.message}`;
      if (sentence !== told) report(sentence);
      told = sentence;
    }
  };
}

function isOfFileSystem(cause: unknown): cause is Error {
  return cause instanceof Error && typeof Reflect.get(cause, 'syscall') === 'string';
}
