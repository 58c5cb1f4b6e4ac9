/**
 * Processor time by kind of process, from /proc: the cost of a message in all processes that work
 * for it.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel's clock ticks in a second, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;
/** Fields of /proc/PID/stat behind the name in brackets, which may hold blanks. */
const USER_FIELD = 11;
const SYSTEM_FIELD = 12;

type Pids = Readonly<Record<string, readonly number[]>>;

/** Seconds of processor time so far, by role. */
export type CpuByRole = Readonly<Record<string, number>>;

export function cpuByRole(pids: Pids): CpuByRole {
  return Object.fromEntries(
    Object.entries(pids).map(([role, each]) => [
      role,
      each.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    ]),
  );
}

/**
 * Milliseconds that the scheduler has run the processes' threads, exact where a process at rest
 * uses less than a tick a second. A thread that has ended is not counted.
 */
export function exactCpuMs(pids: Pids): number {
  const threads = Object.values(pids)
    .flat()
    .flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`));
  return threads.reduce((sum, thread) => {
    const [ran = '0'] = readFileSync(`${thread}/schedstat`, 'utf8').split(' ');
    return sum + Number(ran) / 1e6;
  }, 0);
}

/** The processor time used between two readings. */
export function cpuSince(before: CpuByRole, after: CpuByRole): CpuByRole {
  return Object.fromEntries(
    Object.entries(after).map(([role, seconds]) => [role, seconds - (before[role] ?? 0)]),
  );
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD])) / TICKS_PER_SECOND;
}
