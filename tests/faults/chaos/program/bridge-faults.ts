/**
 * Faults of the bridge itself while all of its machines run: wrong answers to sends, failing
 * look-ups, and a restart that forgets API sends. For some seconds a number may also begin no
 * conversations. They are drawn beside the faults of processes and links, by dice of their own, so
 * that a seed's other faults stay the same.
 */
import { ENGINES, type Engine } from '../../../../infra/programs/simulator/bridge/engines.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { SeededRandom } from '../../simulation/world/seeded-random.ts';
import { BRIDGES } from './bridges.ts';
import {
  askedFor,
  type BridgeDeed,
  type PlannedFault,
  type ScheduleOptions,
} from './planned-fault.ts';

const KINDS = {
  /** 500, and the contact has the message. */
  'bridge-500-after': { path: 'faults', status: 500, acceptFirst: true },
  'bridge-500-before': { path: 'faults', status: 500 },
  'bridge-empty': { path: 'faults', emptyAnswer: true },
  'bridge-torn': { path: 'faults', loseAnswer: true },
  'bridge-look-ups': { path: 'faults', lookups: true, status: 500 },
  'bridge-restart': { path: 'restart', repeat: 12 },
  'bridge-restricted': { path: 'restriction' },
} as const;
export const BRIDGE_FAULT_KINDS = Object.keys(KINDS) as readonly (keyof typeof KINDS)[];

const GAP_MS = { least: 1_500, most: 4_000 };
const RESTRICTED_MS = { least: 4_000, most: 9_000 };
const TIMES_MOST = 3;
const TIMEOUT_MS = 3_000;

export function drawBridgeFaults(options: ScheduleOptions): readonly PlannedFault[] {
  const { seed, lengthMs, only } = options;
  const random = new SeededRandom(seed + 1);
  const { kinds, partsOf } = askedFor(BRIDGE_FAULT_KINDS, only);
  const faults: PlannedFault[] = [];
  if (kinds.length === 0) return faults;
  for (let atMs = 500; atMs < lengthMs; atMs += random.between(GAP_MS.least, GAP_MS.most)) {
    const kind = random.pick(kinds);
    const parts = partsOf(kind);
    const fits = ENGINES.filter((engine) => parts.length === 0 || parts.includes(engine));
    const what = deedOf(kind, random.pick(fits), random);
    const forMs = Math.min(what.forMs ?? 0, lengthMs - atMs);
    faults.push({ kind, atMs, forMs, targets: [`bridge-${what.engine}`], what });
  }
  return faults;
}

function deedOf(kind: keyof typeof KINDS, engine: Engine, random: SeededRandom): BridgeDeed {
  const { path, ...more } = KINDS[kind];
  const times = 1 + random.below(TIMES_MOST);
  const body = path === 'faults' ? { ...more, times } : more;
  const forMs = random.between(RESTRICTED_MS.least, RESTRICTED_MS.most);
  return { deed: 'bridge', engine, path, body, forMs: path === 'restriction' ? forMs : null };
}

/** Withdraws the faults that no send has met: a slow number would meet them long after the end. */
export async function relieve(sandboxUrl: string): Promise<void> {
  const withdraw = async () => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const asked = fetch(`${sandboxUrl}/control/faults`, { method: 'DELETE', signal });
    return await asked.then(({ ok }) => ok).catch(() => false);
  };
  await waitFor(withdraw, { what: 'the bridges behave again' });
}

/** False where the bridge is away: one fault less. */
export async function afflict(sandboxUrl: string, deed: BridgeDeed): Promise<boolean> {
  const { engine, path, body, forMs } = deed;
  const session = BRIDGES.find((bridge) => bridge.engine === engine)?.session;
  const until = forMs === null ? {} : { until: Math.ceil(Date.now() + forMs) };
  try {
    const response = await fetch(`${sandboxUrl}/control/${path}`, {
      method: 'POST',
      body: JSON.stringify({ session, ...body, ...until }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status < 300;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
