// One set-up at a time in one folder, without any dependency. The lock is a folder (mkdir is
// atomic) with an owner file. It is stale when its owner and the owner's running commands are all
// gone. So an `npm ci` that outlives a killed set-up still holds it.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { observeCommands } from './run-command.mjs';

const POLL_MS = 100;
const OWNERLESS_MS = 5_000;
const PATIENCE_MS = 15 * 60_000;

/**
 * Runs `work` while holding the lock folder.
 * @template T
 * @param {string} folder
 * @param {{waiting: () => void, work: () => Promise<T>}} options `waiting` is called once if
 *   another set-up holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(folder, { waiting, work }) {
  mkdirSync(dirname(folder), { recursive: true });
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let reported = false; !take(folder); ) {
    if (isStale(folder)) {
      takeAway(folder);
      continue;
    }
    if (!reported) waiting();
    reported = true;
    if (Date.now() > giveUpAt) throw new Error(`another set-up holds ${folder}; delete it if not`);
    await sleep(POLL_MS);
  }
  const owner = identify(process.pid);
  const write = (pids) => {
    const draft = join(folder, 'owner.draft');
    writeFileSync(draft, JSON.stringify({ owner, commands: pids.map(identify) }));
    // By rename: a partly written owner file would make the lock look ownerless.
    renameSync(draft, join(folder, 'owner.json'));
  };
  write([]);
  observeCommands(write);
  try {
    return await work();
  } finally {
    observeCommands(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  }
}

function take(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Of several that find the same stale lock, one moves it; a fresh one is put back. */
function takeAway(folder) {
  const aside = `${folder}.stale.${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (isStale(aside)) rmSync(aside, { recursive: true, force: true });
  else renameSync(aside, folder);
}

function isStale(folder) {
  try {
    const { owner, commands } = JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8'));
    return ![owner, ...commands].some(lives);
  } catch {
    return ageMs(folder) > OWNERLESS_MS;
  }
}

function ageMs(folder) {
  try {
    return Date.now() - statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

/** A pid alone is reused; with its start time (Linux) it names one process for ever. */
function identify(pid) {
  return { pid, started: startedAt(pid) };
}

function startedAt(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return null;
  }
}

function lives({ pid, started }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  return started === null || started === undefined || startedAt(pid) === started;
}
