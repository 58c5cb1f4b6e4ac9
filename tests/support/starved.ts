/** Whether a machine at its limit kept a process from its work. */
import { readFileSync } from 'node:fs';

/** No such kernel, or the process has ended. */
const GONE = new Set(['ENOENT', 'ESRCH']);

/**
 * The process has waited for a core longer than it had one, since its start. Its timers and leases
 * are late then, whatever it does. False where no kernel tells (Linux does).
 */
export function isStarved(pid: number): boolean {
  const [ranNs = 0, waitedNs = 0] = schedulerTimes(pid);
  return waitedNs > ranNs;
}

/** Of the main thread. */
function schedulerTimes(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && GONE.has(String(cause.code))) return [];
    throw cause;
  }
}
