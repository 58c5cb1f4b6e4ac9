/** Whether a machine at its limit kept a process from its work. */
import { readFileSync } from 'node:fs';

/** No such kernel, or the process has ended. */
const GONE = new Set(['ENOENT', 'ESRCH']);

/** Of a main thread, since the start of its process. */
export interface CoreTimes {
  readonly ranNs: number;
  readonly waitedNs: number;
}

const AT_ITS_START: CoreTimes = { ranNs: 0, waitedNs: 0 };

/**
 * The process has waited for a core longer than it had one, since its start or an earlier look. Its
 * timers and leases are late then, whatever it does. False where no kernel tells (Linux does).
 */
export function isStarved(pid: number, since = AT_ITS_START): boolean {
  const now = coreTimes(pid);
  const waitedNs = now.waitedNs - since.waitedNs;
  return waitedNs > 0 && waitedNs > now.ranNs - since.ranNs;
}

/** Zeros where no kernel tells, or the process has ended. */
export function coreTimes(pid: number): CoreTimes {
  const [ranNs = 0, waitedNs = 0] = schedulerTimes(pid);
  return { ranNs, waitedNs };
}

function schedulerTimes(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && GONE.has(String(cause.code))) return [];
    throw cause;
  }
}
