/**
 * Many owners: two gateways and three actors processes under a load of sends. Any of them is
 * killed, paused or restarted (I1, I2, I3, I7, I11, I23).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LEASE_MS } from '../../../shared/limits.ts';
import { killHard } from '../../support/kills.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type OpenLoadFixture, openLoadFixture } from './load-fixture.ts';
import { judge } from './verdict.ts';

let fixture: OpenLoadFixture;

before(async () => {
  fixture = await openLoadFixture({ FORMATION: 'gateway=2,actors=3' });
});
after(() => fixture?.close());

test('killed, paused past their lease and restarted one by one, they lose, double and reorder nothing', async (t) => {
  const { stack, load } = fixture;
  await load.progress(5);
  for (const place of [0, 1]) {
    await killHard(stack, 'actors', { place });
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
    });
    await load.progress(5);
  } finally {
    process.kill(paused, 'SIGCONT');
  }
  await load.progress(5);
  await killHard(stack, 'gateway');
  await load.progress(5);
  await load.stop();
  t.diagnostic(JSON.stringify(await judge(fixture)));
});
