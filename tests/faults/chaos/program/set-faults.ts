/**
 * Faults of a replica set (`tests/support/replica-set`). They are drawn beside the faults of
 * processes and links, by dice of their own, one after another: a set has one state.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Fate, Trouble } from '../../../support/replica-set/codes.ts';
import type { ReplicaSet } from '../../../support/replica-set/set.ts';
import { SeededRandom } from '../../simulation/world/seeded-random.ts';
import {
  askedFor,
  type PlannedFault,
  type ScheduleOptions,
  type SetDeed,
} from './planned-fault.ts';

/** How long each lasts, in ms. */
const KINDS = {
  /** The primary's machine is lost. A set's default: 10 s until it is missed, and the votes. */
  election: { least: 12_000, most: 12_000 },
  /** `rs.stepDown()`: another member is ready. */
  'step-down': { least: 300, most: 3_000 },
  /** A primary without its majority steps down, and what only it had is gone. */
  rollback: { least: 2_000, most: 9_000 },
  /** A primary without its majority for a while; longer than the store's deadline at times. */
  lag: { least: 1_000, most: 8_000 },
  'write-concern': { least: 1_000, most: 7_000 },
  'mongo-cut': { least: 1_000, most: 6_000 },
  'server-clock': { least: 1_000, most: 8_000 },
} as const;
type Kind = keyof typeof KINDS;
const isKind = (name: string): name is Kind => Object.hasOwn(KINDS, name);
export const SET_FAULT_KINDS: readonly Kind[] = Object.keys(KINDS).filter(isKind);

const GAP_MS = { least: 1_500, most: 5_000 };
const FIRST_AT_MS = 1_500;
/** Two servers of a set are then a minute apart at most, as docs/operations.md allows. */
const CLOCK_MOST_MS = 29_000;
const SPOILT_SHARE = 0.4;
const CUT_SHARE = 0.1;
const IN_DOUBT: readonly Fate[] = [
  ...[{ concern: 64 }, { concern: 91 }, { concern: 189 }, { concern: 50 }, { error: 50 }, 'late'],
] as const;
/** Beside those of processes (its own seed) and of bridges. */
const SALT = 2;

export function drawSetFaults(options: ScheduleOptions): readonly PlannedFault[] {
  const { seed, lengthMs, only } = options;
  const random = new SeededRandom(seed + SALT);
  const { kinds } = askedFor(SET_FAULT_KINDS, only);
  const faults: PlannedFault[] = [];
  if (kinds.length === 0) return faults;
  // Each kind in turn, in another order each time: a short run meets several.
  for (let atMs = FIRST_AT_MS; atMs < lengthMs; ) {
    for (const kind of random.shuffled(kinds)) {
      const { least, most } = KINDS[kind];
      const forMs = Math.min(random.between(least, most), lengthMs - atMs);
      const aheadMs = Math.round(random.between(-CLOCK_MOST_MS, CLOCK_MOST_MS));
      const what: SetDeed = { deed: 'set', seed: random.below(1e9), aheadMs };
      if (atMs < lengthMs) faults.push({ kind, atMs, forMs, targets: ['mongo'], what });
      atMs += forMs + random.between(GAP_MS.least, GAP_MS.most);
    }
  }
  return faults;
}

/** Resolves when it is healed. */
export async function failSet(set: ReplicaSet, { kind, forMs, what }: PlannedFault): Promise<void> {
  if (what.deed !== 'set' || !isKind(kind)) return;
  const random = new SeededRandom(what.seed);
  switch (kind) {
    case 'election':
      set.lose();
      await pause(forMs);
      return set.elect(what.aheadMs);
    case 'step-down':
      set.stepDown();
      await pause(forMs);
      return set.elect(what.aheadMs);
    case 'rollback': {
      const withheldMs = forMs * random.between(0.3, 0.7);
      set.withhold();
      await pause(withheldMs);
      set.stepDown();
      await pause(forMs - withheldMs);
      return set.elect(what.aheadMs);
    }
    case 'lag':
      set.withhold();
      await pause(forMs);
      return await set.catchUp();
    case 'server-clock':
      set.setClock(what.aheadMs);
      await pause(forMs);
      return set.setClock(0);
    default:
      set.trouble(kind === 'mongo-cut' ? cutting(random) : leftInDoubt(random));
      await pause(forMs);
      return set.heal();
  }
}

/** Each write is applied, and some are not acknowledged. */
function leftInDoubt(random: SeededRandom): Trouble {
  return ({ isWrite }) => (isWrite && random.happens(SPOILT_SHARE) ? random.pick(IN_DOUBT) : null);
}

function cutting(random: SeededRandom): Trouble {
  return () => (random.happens(CUT_SHARE) ? random.pick(['cut-before', 'cut-after']) : null);
}
