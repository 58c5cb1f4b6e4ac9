/** Ends of a stack's processes, which the supervisor makes good. */
import assert from 'node:assert/strict';
import { runs } from './processes.ts';
import type { Run } from './run-file.ts';
import { waitFor } from './wait-for.ts';

interface Service {
  runFile(): Run;
}

interface Ending {
  readonly signal?: NodeJS.Signals;
  /** Of several processes of the role, as `run.json` names them. */
  readonly place?: number;
}

/** Ends a process of the role, and waits until another one is in its place. */
export async function killHard(
  { runFile }: Service,
  role: string,
  { signal = 'SIGKILL', place = 0 }: Ending = {},
): Promise<void> {
  const pidsNow = () => runFile().pids[role] ?? [];
  const before = pidsNow();
  const pid = before[place];
  assert.ok(pid !== undefined, `${role} ${place} runs`);
  process.kill(pid, signal);
  const isReplaced = () => {
    const now = pidsNow();
    const isWhole = now.length === before.length && now.every(runs);
    return isWhole && !now.includes(pid) && !runs(pid);
  };
  await waitFor(isReplaced, { what: `${role} ${pid} is replaced` });
}
