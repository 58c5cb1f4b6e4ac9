/**
 * The encryption key of stored secrets on a single-machine installation: `DATA_DIR/secrets.key`,
 * base64 of 32 random bytes, readable by its owner only.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { secretsKey } from './value-schemas.ts';

const KEY_BYTES = 32;

/** The key's file in a data folder. */
export function secretsKeyFile(dataDir: string): string {
  return join(dataDir, 'secrets.key');
}

/** Without a key: `undefined` where there is no file, else why the file has none. */
export type FoundKey = { readonly key: Uint8Array } | { readonly broken: string } | undefined;

/** The key of the file. */
export function readSecretsKey(file: string): FoundKey {
  try {
    const parsed = v.safeParse(secretsKey, readFileSync(file, 'utf8').trim());
    if (parsed.success) return { key: parsed.output };
    return { broken: `${file} does not hold ${KEY_BYTES} bytes in base64` };
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    return { broken: `${file} cannot be read (${codeOf(cause)})` };
  }
}

/**
 * Makes the key unless the file is there: two callers at once get the same one.
 * @throws {Error} when it cannot be stored
 */
export function makeSecretsKey(file: string): FoundKey {
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeDurably(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    // A link, unlike a rename, never replaces the key that another process has just made.
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw new Error(`cannot store ${file}`, { cause });
  } finally {
    rmSync(draft, { force: true });
  }
  return readSecretsKey(file);
}

/** A power cut must not lose the key of secrets that the store has journaled. */
function writeDurably(file: string, content: string): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(error: unknown): string {
  return String(Reflect.get(Object(error), 'code'));
}
