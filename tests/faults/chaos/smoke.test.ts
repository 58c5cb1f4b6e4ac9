/**
 * A short run of `npm run chaos`: whatever fault came, the history holds (docs/reliability.md,
 * "Chaos with real processes"). Other tests use the machine meanwhile, so longer times are allowed
 * for recovery and for the end of all work. All other rules are strict.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './program/run.ts';

/** Kills of everything there is, alone and together; a paused owner; a mute link. */
const SEED = 1981;
/** Load is for `npm run chaos`: this run leaves the machine to the tests beside it. */
const PACE = 5;
/**
 * Minimum that each checker must check for its silence to count. At most a third of what a machine
 * reaches while it does other things.
 */
const LEAST = {
  sends: { accepted: 100 },
  reads: { reads: 20 },
  network: { messages: 100 },
  bridge: { deliveries: 40, written: 10, troubles: 3 },
  deals: { changes: 30, events: 10 },
  flows: { intervals: 2, started: 2 },
  contacts: { upserts: 30 },
  deliveries: { eventsExpected: 100 },
  inbound: { taken: 15 },
  limits: { accepted: 25, refused: 3 },
  once: { keys: 10, repeated: 3 },
  liveness: { workers: 23 },
};

test('a short storm of faults loses, doubles and reorders nothing', async (t) => {
  const ran = await run({
    seed: SEED,
    quietMs: 2_000,
    faultsMs: 24_000,
    healedMs: 3_000,
    answeredWithinMs: 240_000,
    drainMs: 150_000,
    only: [],
    pace: PACE,
    keep: false,
    tell: (sentence) => t.diagnostic(sentence),
  });
  for (const line of ran.lines) t.diagnostic(line);
  assert.deepEqual(ran.violations, [], `everything is in ${ran.folder}`);
  for (const [checker, least] of Object.entries(LEAST)) {
    for (const [what, count] of Object.entries(least)) {
      const found = ran.counted[checker]?.[what] ?? 0;
      assert.ok(found >= count, `${checker} has looked at ${found} ${what}, at least ${count}`);
    }
  }
});
