/** A short run of `npm run chaos` as a test. Other tests use the machine meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RunOptions, run } from './program/run.ts';

/** Longer times for recovery and for the end of all work than such a run has by itself. */
const PATIENCE = { answeredWithinMs: 240_000, drainMs: 150_000, keep: false };

/**
 * Until the first flows have said their first words, on a busy machine too. A step that three owners
 * in turn find unfinished is stopped, as it is meant to be.
 */
export const QUIET_MS = 6_000;

type Own = Omit<RunOptions, keyof typeof PATIENCE | 'tell'>;
/** Of each checker so much must be checked for its silence to count. */
type Least = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Beside a storm of one kind: at most a third of what a machine reaches while it does other things. */
export const LEAST_OF_WORK: Least = {
  sends: { accepted: 40 },
  network: { messages: 40 },
  deals: { changes: 10, events: 5 },
  contacts: { upserts: 10 },
  deliveries: { eventsExpected: 40 },
  inbound: { taken: 5 },
  once: { keys: 4 },
  liveness: { workers: 23 },
};

export function testShortRun(title: string, options: Own, wanted: Least): void {
  test(title, async (t) => {
    const tell = (sentence: string) => t.diagnostic(sentence);
    const { lines, violations, folder, counted } = await run({ ...PATIENCE, ...options, tell });
    for (const line of lines) tell(line);
    assert.deepEqual(violations, [], `everything is in ${folder}`);
    for (const [checker, least] of Object.entries(wanted)) {
      for (const [what, count] of Object.entries(least)) {
        const found = counted[checker]?.[what] ?? 0;
        assert.ok(found >= count, `${checker} has looked at ${found} ${what}, at least ${count}`);
      }
    }
  });
}
