/** How many files each process of this machine may open, and how near it is to that. */
import { readdir, readFile } from 'node:fs/promises';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import { failed, passed, sentenceOf } from './check.ts';

const NAME = 'open files';
/** A connection is an open file: of callers, of networks, of subscribers. */
const LIMIT_MIN = 4_096;
const USED_SHARE_MAX = 0.8;
const REMEDY = { code: 'raiseFiles', params: {} } as const;

interface Usage {
  readonly pid: number;
  readonly limit: number;
  readonly used: number;
}

/** @param pids of the processes on this machine; without any, this process is read instead */
export async function checkOpenFiles(pids: readonly number[]): Promise<DoctorRow> {
  const read = await Promise.all((pids.length > 0 ? pids : [process.pid]).map(usageOf));
  const usages = read.filter((usage) => usage !== null);
  const [least] = usages.toSorted((a, b) => a.limit - b.limit);
  const [fullest] = usages.toSorted((a, b) => b.used / b.limit - a.used / a.limit);
  if (least === undefined || fullest === undefined) {
    return passed(NAME, { code: 'filesUnknown', params: {} });
  }
  const low = least.limit < LIMIT_MIN;
  const { pid, limit, used } = low ? least : fullest;
  const detail = { code: 'filesOpen', params: { pid, used, limit: String(limit) } } as const;
  const ok = !low && used <= limit * USED_SHARE_MAX;
  return ok ? passed(NAME, detail) : failed(NAME, [detail], REMEDY);
}

/** Null for a process that has ended or is not readable for this user. */
async function usageOf(pid: number): Promise<Usage | null> {
  try {
    const [limits, files] = await Promise.all([
      readFile(`/proc/${pid}/limits`, 'utf8'),
      readdir(`/proc/${pid}/fd`),
    ]);
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    const limit =
      soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
    return { pid, limit, used: files.length };
  } catch (cause) {
    if (/ENOENT|EACCES|EPERM|ESRCH/.test(sentenceOf(cause))) return null;
    throw cause;
  }
}
