/** A pid is reused; together with its start time it names one process for ever. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as v from 'valibot';

export const ProcessIdentitySchema = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** In the system's own format; compared, never parsed. */
  startedAt: v.string(),
});
export type ProcessIdentity = v.InferOutput<typeof ProcessIdentitySchema>;

const STATE_FIELD = 0;
const START_TIME_FIELD = 19;

/** The identity of a living process, or null when there is none with this pid. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startedAt = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** False for a process that has ended, also when it is not reaped yet. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

function fromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command's name in parentheses and may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[STATE_FIELD] === 'Z' ? null : (fields[START_TIME_FIELD] ?? null);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function fromPs(pid: number): string | null {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [, state = '', started = ''] = /^(\S+)\s+(.+)$/.exec(text) ?? [];
    return started === '' || state.startsWith('Z') ? null : started;
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'status') === 1) return null;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return code === 'ENOENT' || code === 'ESRCH';
}
