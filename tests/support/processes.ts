/** The processes of a stack, as the operating system knows them. */
import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process runs; one that has ended but was not reaped does not. */
export function runs(pid: number): boolean {
  if (process.platform === 'linux') {
    const stat = readIfThere(`/proc/${pid}/stat`);
    return stat !== null && !/^\d+ \(.*\) [ZX]/s.test(stat);
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

/**
 * The processes whose environment names the folder: every descendant of a stack, also one that
 * lost its parent. Empty where the system does not show environments.
 */
export function processesNaming(folder: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readIfThere(`/proc/${pid}/environ`)?.includes(folder) === true && runs(pid));
}

/** Null for a process that has ended or belongs to another user. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return null;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return String(Reflect.get(Object(error), 'code'));
}
