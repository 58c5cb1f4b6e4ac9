/**
 * Lock for one supervisor per data folder.
 * 1. `DATA_DIR/supervisor.lock` names its owner by pid and start time, so that a reused pid never
 *    keeps a folder locked.
 * 2. It also names the children. A supervisor that replaces a killed one first ends the children
 *    that still run, because two engines must never share the data.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { StartRefused } from '../start/start-refused.ts';
import { cannotUse } from './folder.ts';
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
  ProcessIdentitySchema,
} from './process-identity.ts';

const LockSchema = v.object({
  owner: ProcessIdentitySchema,
  children: v.array(ProcessIdentitySchema),
});
type Lock = v.InferOutput<typeof LockSchema>;

const POLL_MS = 20;
const ORPHAN_TIMEOUT_MS = 5_000;

export interface DataLock {
  /** Notes the processes that are running now. */
  note(pids: readonly number[]): void;
  release(): void;
}

/**
 * Locks a data folder, made if missing, and ends the processes that a killed supervisor left.
 * @throws {StartRefused} when another supervisor uses the folder, or it cannot be written
 */
export async function lockData(dataDir: string): Promise<DataLock> {
  const file = join(dataDir, 'supervisor.lock');
  const owner = identifyProcess(process.pid);
  if (owner === null) throw new StartRefused('The system tells nothing about this process.');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    await acquire(file, { owner, children: [] });
  } catch (cause) {
    if (cause instanceof StartRefused) throw cause;
    throw cannotUse(dataDir, cause);
  }
  return {
    note: (pids) => {
      const children = pids.map(identifyProcess).filter((child) => child !== null);
      replace(file, { owner, children });
    },
    release: () => rmSync(file, { force: true }),
  };
}

async function acquire(file: string, mine: Lock): Promise<void> {
  while (!tryLink(file, mine)) {
    const text = readOrEmpty(file);
    const lock = parse(text);
    if (lock !== null && isRunning(lock.owner)) throw inUse(file, lock.owner.pid);
    if (text !== null) removeStale(file, text);
    if (lock !== null) await endOrphans(lock.children);
  }
}

/** A link is made whole or not at all, and never over an existing lock. */
function tryLink(file: string, lock: Lock): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(lock), { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Of several that find the same stale lock, only one moves it; a fresh one is put back. */
function removeStale(file: string, stale: string): void {
  const stalePath = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, stalePath);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if (readFileSync(stalePath, 'utf8') !== stale) linkSync(stalePath, file);
  rmSync(stalePath, { force: true });
}

async function endOrphans(children: readonly ProcessIdentity[]): Promise<void> {
  const giveUpAt = performance.now() + ORPHAN_TIMEOUT_MS;
  for (;;) {
    const alive = children.filter(isRunning);
    if (alive.length === 0) return;
    if (performance.now() > giveUpAt) {
      const pids = alive.map((child) => child.pid).join(', ');
      throw new StartRefused(`Processes of an earlier start do not end: ${pids}.`);
    }
    for (const child of alive) kill(child.pid);
    await sleep(POLL_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

function replace(file: string, lock: Lock): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(lock), { mode: 0o600 });
  renameSync(draft, file);
}

function readOrEmpty(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function parse(text: string | null): Lock | null {
  try {
    return v.parse(LockSchema, JSON.parse(text ?? ''));
  } catch (error) {
    // An unreadable lock was never a whole one: it has no holder.
    if (error instanceof SyntaxError || error instanceof v.ValiError) return null;
    throw error;
  }
}

function inUse(file: string, pid: number): StartRefused {
  return new StartRefused(
    `Another instance (pid ${pid}) is already using this DATA_DIR; stop it or set another ` +
      `DATA_DIR (lock: ${file}).`,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}
