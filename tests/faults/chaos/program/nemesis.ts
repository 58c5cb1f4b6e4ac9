/** Nemesis: executes the planned faults, records them with their time, and heals. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ReplicaSet } from '../../../support/replica-set/set.ts';
import { afflict } from './bridge-faults.ts';
import type { Link } from './link.ts';
import type { Parts } from './parts.ts';
import type { BridgeDeed, PlannedFault } from './planned-fault.ts';
import { now, type Recorder } from './recorder.ts';
import { farEnd } from './schedule.ts';
import { failSet } from './set-faults.ts';

/** Between two processes of a rolling restart. */
const BETWEEN_RESTARTS_MS = 1_500;

export interface Nemesis {
  /** Resolves when the last fault is healed. */
  inject(faults: readonly PlannedFault[]): Promise<void>;
}

interface Victims {
  readonly parts: Parts;
  readonly links: readonly Link[];
  readonly set: ReplicaSet | null;
  readonly sandboxUrl: string;
  readonly recorder: Recorder;
  readonly tell: (sentence: string) => void;
}

export function nemesisOf(victims: Victims): Nemesis {
  const { parts, recorder, tell } = victims;
  /** Faults may overlap on one victim: the last one to end lets it go. */
  const stopped = new Map<string, number>();
  const carryOut = async (fault: PlannedFault): Promise<void> => {
    const [from, { kind, targets, what }] = [now(), fault];
    tell(`${kind} ${targets.join(' ')}`);
    if (what.deed === 'bridge') return await disturbBridge(victims, kind, what);
    if (what.deed === 'kill') parts.tellDeaths(what.noticed);
    switch (what.deed) {
      case 'kill':
        for (const name of targets) parts.signal(name, 'SIGKILL');
        break;
      case 'stop':
        await standStill(fault);
        break;
      case 'restart':
        for (const name of targets) {
          parts.signal(name, 'SIGTERM');
          await pause(BETWEEN_RESTARTS_MS);
        }
        break;
      case 'set':
        if (victims.set !== null) await failSet(victims.set, fault);
        break;
      default:
        await degradeLinks(victims, fault);
    }
    const touched = what.deed === 'spoil' ? targets.map(farEnd) : targets;
    recorder.seen('fault', { kind, parts: touched, from, to: now() });
  };
  const standStill = async ({ targets, forMs }: PlannedFault) => {
    for (const name of targets) {
      stopped.set(name, (stopped.get(name) ?? 0) + 1);
      parts.signal(name, 'SIGSTOP');
    }
    await pause(forMs);
    for (const name of targets) {
      stopped.set(name, (stopped.get(name) ?? 1) - 1);
      if (stopped.get(name) === 0) parts.signal(name, 'SIGCONT');
    }
  };
  return {
    inject: async (faults) => {
      const startedAt = performance.now();
      const under = faults.map(async (fault) => {
        await pause(Math.max(0, fault.atMs - (performance.now() - startedAt)));
        await carryOut(fault);
      });
      await Promise.all(under);
    },
  };
}

async function disturbBridge(
  { sandboxUrl, recorder }: Victims,
  kind: string,
  deed: BridgeDeed,
): Promise<void> {
  const from = now();
  if (await afflict(sandboxUrl, deed)) {
    recorder.seen('bridge-fault', { kind, engine: deed.engine, from });
  }
}

async function degradeLinks(
  { links }: Victims,
  { targets, forMs, what }: PlannedFault,
): Promise<void> {
  if (what.deed !== 'spoil') return;
  const mine = links.filter(({ name }) => targets.includes(name));
  for (const link of mine) link.degrade(what.trouble);
  await pause(forMs);
  // Another fault may have spoilt it meanwhile; healing early is a fault less, not a false alarm.
  for (const link of mine) link.heal();
}
