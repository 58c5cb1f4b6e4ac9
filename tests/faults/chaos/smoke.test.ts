/**
 * A short run of `npm run chaos`: whatever fault came, the history holds (docs/reliability.md,
 * "Chaos with real processes"). Other tests use the machine meanwhile, so longer times are allowed
 * for recovery and for the end of all work. All other rules are strict.
 */
import { testShortRun } from './short-run.ts';

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

testShortRun(
  'a short storm of faults loses, doubles and reorders nothing',
  { seed: SEED, quietMs: 2_000, faultsMs: 24_000, healedMs: 3_000, only: [], pace: PACE },
  LEAST,
);
