/**
 * The key under which stored secrets are encrypted, as the embedded set-up keeps it:
 * `DATA_DIR/secrets.key`, base64 of 32 random bytes, readable by its owner only.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY_BYTES = 32;

/** The stored key in base64, or undefined when the folder has none yet. */
function readSecretsKey(dataDir: string): string | undefined {
  try {
    return readFileSync(fileOf(dataDir), 'utf8').trim();
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new Error(`cannot read ${fileOf(dataDir)}`, { cause });
  }
}

/** The stored key in base64; made on the first call. Two callers at once get the same one. */
export function ensureSecretsKey(dataDir: string): string {
  const present = readSecretsKey(dataDir);
  if (present !== undefined) return present;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${fileOf(dataDir)}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 });
  try {
    // A link, unlike a rename, never replaces the key that somebody else has just made.
    linkSync(draft, fileOf(dataDir));
  } catch (cause) {
    if (!isCode(cause, 'EEXIST')) throw new Error('cannot store the secrets key', { cause });
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readSecretsKey(dataDir);
  if (key === undefined) throw new Error(`cannot read ${fileOf(dataDir)}`);
  return key;
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'secrets.key');
}

function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT');
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === code;
}
