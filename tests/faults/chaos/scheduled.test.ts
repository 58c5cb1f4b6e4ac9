/**
 * A short run of `npm run chaos -- --scheduled`: messages with a time, cancels and opt-outs at that
 * time, while processes are killed (docs/reliability.md).
 */
import { testShortRun } from './short-run.ts';

const SEED = 71;
/** A part of what a machine reaches while it does five other things. */
const LEAST = { scheduled: { accepted: 120, sent: 60, optedOut: 1 } };
const TIMES = { quietMs: 4_000, faultsMs: 14_000, healedMs: 2_000 };

testShortRun(
  'scheduled messages under kills are sent once, at their time, in their order',
  { seed: SEED, ...TIMES, only: ['kill', 'kill-some'], scheduled: 150 },
  LEAST,
);
