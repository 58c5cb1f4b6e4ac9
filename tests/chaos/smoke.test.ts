/**
 * A short run of `npm run chaos`: every kind of fault may come, and whatever came, the history
 * holds (docs/reliability.md, "Chaos with real processes"). How soon everybody is answered again
 * is judged by the long runs alone: here other tests take the machine's time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './program/run.ts';

const SEED = 20;

test('twenty seconds of faults lose, double and reorder nothing', {
  timeout: 180_000,
}, async (t) => {
  const ran = await run({
    seed: SEED,
    quietMs: 3_000,
    faultsMs: 20_000,
    healedMs: 8_000,
    drainMs: 60_000,
    only: [],
    keep: false,
    tell: (sentence) => t.diagnostic(sentence),
  });
  for (const line of ran.lines) t.diagnostic(line);
  const broken = ran.violations.filter((violation) => !/was (not )?answered/.test(violation));
  assert.deepEqual(broken, [], `everything is in ${ran.folder}`);
});
