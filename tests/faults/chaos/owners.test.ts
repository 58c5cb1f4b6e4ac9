/**
 * Many owners: two gateways and three actors processes under a load of sends. Any of them is
 * killed, paused or restarted (I1, I2, I3, I7, I11, I23).
 */
import assert from 'node:assert/strict';
import { LEASE_MS } from '../../../shared/limits.ts';
import { killHard } from '../../support/kills.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { LoadFixture } from './load-fixture.ts';
import { testUnderLoad } from './under-load.ts';

async function disturb({ stack, load }: LoadFixture): Promise<void> {
  for (const n of [0, 1]) {
    await killHard(stack, 'actors', { place: n });
    await load.progress(5);
  }
  const paused = stack.runFile().pids.actors?.[2];
  assert.ok(paused !== undefined, 'a third process');
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
  await killHard(stack, 'gateway');
}

const title =
  'killed, paused past their lease and restarted, they lose, double and reorder nothing';
testUnderLoad(title, {
  settings: { FORMATION: 'gateway=2,actors=3' },
  progress: 5,
  timeoutMs: 720_000,
  happens: disturb,
});
