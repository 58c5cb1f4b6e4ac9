/**
 * A short run of `npm run chaos -- --scheduled`: messages with a time, cancels and opt-outs at that
 * time, while processes are killed (docs/reliability.md).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './program/run.ts';

const SEED = 71;
/** A part of what a machine reaches while it does five other things. */
const LEAST = { accepted: 120, sent: 60, optedOut: 1 };

test('scheduled messages under kills are sent once, at their time, in their order', async (t) => {
  const ran = await run({
    seed: SEED,
    quietMs: 4_000,
    faultsMs: 14_000,
    healedMs: 2_000,
    answeredWithinMs: 240_000,
    drainMs: 150_000,
    only: ['kill', 'kill-some'],
    keep: false,
    scheduled: 150,
    tell: (sentence) => t.diagnostic(sentence),
  });
  for (const line of ran.lines) t.diagnostic(line);
  assert.deepEqual(ran.violations, [], `everything is in ${ran.folder}`);
  for (const [what, count] of Object.entries(LEAST)) {
    const found = ran.counted.scheduled?.[what] ?? 0;
    assert.ok(found >= count, `${found} ${what}, at least ${count}`);
  }
});
