/**
 * The stable link to the engine's socket.
 * 1. The link appears by rename, so a client finds the old socket or the new one.
 * 2. The folder that a killed engine left behind is removed; only the process that holds the
 *    database's own lock may do so.
 * 3. A folder outside DATA_DIR is this user's alone, or it is not used.
 */
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { EngineAddress } from './address.ts';

const ENGINE_FOLDER_PREFIX = 'embedded-mongodb-';

/** Makes the folder in which the engine is to open its socket. */
export function prepareFolder(address: EngineAddress): void {
  mkdirSync(address.folder, { recursive: true, mode: 0o700 });
  if (!address.apart) return;
  const stat = lstatSync(address.folder);
  const owned = process.getuid === undefined || stat.uid === process.getuid();
  if (!stat.isDirectory() || !owned || (stat.mode & 0o077) !== 0) {
    throw new Error(`${address.folder} exists and is not a private folder of this user`);
  }
}

/** Points the link at a socket that has just been opened, and clears up after killed engines. */
export function publishSocket(address: EngineAddress, socket: string): void {
  const next = `${address.socketPath}.next`;
  rmSync(next, { force: true });
  symlinkSync(socket, next);
  renameSync(next, address.socketPath);
  const own = basename(dirname(socket));
  for (const name of readdirSync(address.folder)) {
    if (!name.startsWith(ENGINE_FOLDER_PREFIX) || name === own) continue;
    rmSync(join(address.folder, name), { recursive: true, force: true });
  }
}

/** Takes the link away; call it while the database is still locked by this process. */
export function withdrawSocket(address: EngineAddress): void {
  rmSync(address.socketPath, { force: true });
}

/** Takes away the folder that was made for the sockets alone. */
export function removeFolder(address: EngineAddress): void {
  if (address.apart) rmSync(address.folder, { recursive: true, force: true });
}
