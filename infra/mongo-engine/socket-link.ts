/**
 * The stable link to the engine's socket.
 * 1. The link appears by rename, so whoever connects finds the old socket or the new one.
 * 2. The folder that a killed engine left behind is found through the old link and removed; only
 *    the process that holds the database's own lock may do so.
 * 3. A folder outside DATA_DIR is this user's alone, or it is not used.
 */
import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { EngineAddress } from './address.ts';

/** Points the link at a socket that has just been opened. */
export function publishSocket(address: EngineAddress, socket: string): void {
  if (address.ownFolder !== null) makePrivate(address.ownFolder);
  removeLeftover(address, socket);
  const next = `${address.socketPath}.${process.pid}`;
  rmSync(next, { force: true });
  symlinkSync(socket, next);
  renameSync(next, address.socketPath);
}

/** Takes the link away, and the folder that was made for it. */
export function withdrawSocket(address: EngineAddress, socket: string): void {
  if (targetOf(address) !== socket) return;
  rmSync(address.ownFolder ?? address.socketPath, { recursive: true, force: true });
}

function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  const owned = process.getuid === undefined || stat.uid === process.getuid();
  if (!stat.isDirectory() || !owned || (stat.mode & 0o077) !== 0) {
    throw new Error(`${folder} exists and is not a private folder of this user`);
  }
}

function removeLeftover(address: EngineAddress, socket: string): void {
  const old = targetOf(address);
  if (old === null || old === socket) return;
  const folder = dirname(old);
  if (basename(folder).startsWith('embedded-mongodb-')) {
    rmSync(folder, { recursive: true, force: true });
  }
}

function targetOf(address: EngineAddress): string | null {
  try {
    return readlinkSync(address.socketPath);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return null;
    throw error;
  }
}
