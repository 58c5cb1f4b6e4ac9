/**
 * Data folder of an embedded engine with every index and no document. Its copy opens with half the
 * processor time of an empty folder, in which an engine makes seventy files one by one.
 *
 * 1. It is kept below `.runtime`, named by what it was made of.
 * 2. A program of its own makes it (`make-indexed-folder.ts`): a process has room for one engine.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { INDEXES } from '../../infra/adapters/mongo/indexes.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { runProgram } from './run-program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const ENGINE = join(ROOT, 'node_modules', '@0q', 'embedded-mongodb', 'package.json');

export const PLACE = join(ROOT, '.runtime', 'indexed-folders');

/** Where the folder of these indexes and of this engine is, once it is made. */
export function indexedFolder(): string {
  const hash = createHash('sha256').update(JSON.stringify(INDEXES)).update(readFileSync(ENGINE));
  return join(PLACE, hash.digest('hex').slice(0, 32));
}

/** Puts a copy at the path. A mutant of the indexes has no folder: it gets none. */
export async function copyIndexed(path: string): Promise<void> {
  const folder = indexedFolder();
  if (!existsSync(folder)) await make();
  if (existsSync(folder)) cpSync(folder, path, { recursive: true });
}

let making: Promise<void> | undefined;

function make(): Promise<void> {
  making ??= (async () => {
    const args = [join(import.meta.dirname, 'make-indexed-folder.ts')];
    const env = { ...COMPILE_CACHE, PATH: '/usr/bin:/bin' };
    const { code, stderr } = await runProgram(process.execPath, args, { cwd: ROOT, env });
    assert.equal(code, 0, stderr);
  })();
  return making;
}
