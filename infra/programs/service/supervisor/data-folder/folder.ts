/**
 * Handling of a data folder that cannot be written. Before the start it is a reason to refuse.
 * While the service runs it is reported, and the service continues: its record may be elsewhere.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../../config/config.ts';
import { StartRefused } from '../start/start-refused.ts';

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

/** @throws {StartRefused} where the file system refuses an operation of `work` */
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

/** Runs work whose failure does not harm the service; a failure is reported when it changes. */
export function reportFailures(report: (sentence: string) => void): (work: () => void) => void {
  let reported = '';
  return (work) => {
    try {
      work();
      reported = '';
    } catch (cause) {
      if (!isOfFileSystem(cause)) throw cause;
      const sentence = `DATA_DIR cannot be written: ${cause.message}`;
      if (sentence !== reported) report(sentence);
      reported = sentence;
    }
  };
}

function isOfFileSystem(cause: unknown): cause is Error {
  return cause instanceof Error && typeof Reflect.get(cause, 'syscall') === 'string';
}
