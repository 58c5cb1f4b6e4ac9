/**
 * Many owners: two gateways and three actors processes under a load of sends. Any of them is
 * killed, paused or restarted (I1, I2, I3, I7, I11, I23).
 */
import assert from 'node:assert/strict';
import { LEASE_MS } from '../../../shared/limits.ts';
import { runs } from '../../support/processes.ts';
import type { Stack } from '../../support/stack.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { LoadFixture } from './load-fixture.ts';
import { testUnderLoad } from './under-load.ts';

/** The n-th process of a role as `run.json` names it now. */
function pidOf(stack: Stack, role: string, n: number): number {
  const pids = stack.runFile().pids[role] ?? [];
  const pid = pids[n % pids.length];
  assert.ok(pid !== undefined, `a process of ${role}`);
  return pid;
}

/** Until the process has gone and the role has as many as before. */
async function untilReplaced(stack: Stack, role: string, gone: number): Promise<void> {
  const count = role === 'actors' ? 3 : 2;
  await waitFor(
    () => {
      const pids = stack.runFile().pids[role] ?? [];
      return !runs(gone) && !pids.includes(gone) && pids.filter(runs).length === count;
    },
    { what: `${role} ${gone} is replaced`, timeoutMs: 90_000 },
  );
}

async function disturb({ stack, load }: LoadFixture): Promise<void> {
  for (const n of [0, 1]) {
    const victim = pidOf(stack, 'actors', n);
    process.kill(victim, 'SIGKILL');
    await untilReplaced(stack, 'actors', victim);
    await load.progress(5);
  }
  const paused = pidOf(stack, 'actors', 2);
  process.kill(paused, 'SIGSTOP');
  try {
    // Two lease lengths of real time: its partitions have another owner, and it does not know.
    const since = performance.now();
    await load.progress(5);
    await waitFor(() => performance.now() - since > 2 * LEASE_MS, {
      what: 'the lease to run out',
      timeoutMs: 3 * LEASE_MS,
    });
    await load.progress(5);
  } finally {
    process.kill(paused, 'SIGCONT');
  }
  await load.progress(5);
  const gateway = pidOf(stack, 'gateway', 0);
  process.kill(gateway, 'SIGKILL');
  await untilReplaced(stack, 'gateway', gateway);
}

const title =
  'killed, paused past their lease and restarted, they lose, double and reorder nothing';
testUnderLoad(title, {
  settings: { FORMATION: 'gateway=2,actors=3' },
  progress: 5,
  timeoutMs: 720_000,
  happens: disturb,
});
