/**
 * Scale-out: one, two and four gateways and actors processes on the same machine, under the same
 * load, in turns. More processes must not make a message dearer: what a message costs is processor
 * time of every process that works for it, NATS, MongoDB and the simulator included.
 */
import type { CpuByRole } from '../cpu.ts';
import { inTurns, median, round } from '../rounds.ts';
import {
  type Cost,
  costOf,
  type Formation,
  restOf,
  startFormation,
} from '../scale-out/formations.ts';
import type { Cell, Context, Result, Suite } from '../suite.ts';

const PROCESSES = [1, 2, 4];
/** Far below what two cores bear, so that no formation works off a backlog in fuller batches. */
const PER_SECOND = 80;
/** Each process has to meet as much as the only one before its code is compiled as well. */
const WARM_UP = { perSecond: 100, rounds: 3 };
/** Of Recado itself, then of what it asks. */
const OWN = ['gateway', 'actors'];
const ROLES = [...OWN, 'nats', 'mongo', 'sandbox'];

export const scaleOut: Suite = {
  name: 'scale-out',
  about: 'what a message costs with 1, 2 and 4 gateways and actors processes',
  run,
};

async function run(context: Context): Promise<Result> {
  const formations: Formation[] = [];
  try {
    for (const processes of PROCESSES) formations.push(await startFormation(context, processes));
    return await measure(context, formations);
  } finally {
    for (const formation of formations) await formation.close();
  }
}

async function measure(context: Context, formations: readonly Formation[]): Promise<Result> {
  const { options, say } = context;
  const { rounds, seconds } = options;
  for (const [at, formation] of formations.entries()) {
    const long = WARM_UP.rounds * seconds * (PROCESSES[at] ?? 1);
    await costOf(formation, { perSecond: WARM_UP.perSecond, seconds: long }, {});
    say(`${formation.name}: warm`);
  }
  const resting = new Map<string, CpuByRole>();
  for (const formation of formations) {
    resting.set(formation.name, await restOf(formation, 2 * seconds));
  }
  const pace = { perSecond: PER_SECOND, seconds: 2 * seconds };
  const sides = formations.map((formation) => ({
    name: formation.name,
    measure: async () => {
      const cost = await costOf(formation, pace, resting.get(formation.name) ?? {});
      say(`${formation.name}: ${sumOf(cost.msByRole, ROLES).toFixed(2)} ms a message`);
      return cost;
    },
  }));
  return resultOf(await inTurns(sides, rounds), resting);
}

function sumOf(byRole: CpuByRole, roles: readonly string[]): number {
  return roles.reduce((sum, role) => sum + (byRole[role] ?? 0), 0);
}

function resultOf(
  measured: ReadonlyMap<string, readonly Cost[]>,
  resting: ReadonlyMap<string, CpuByRole>,
): Result {
  const [first = []] = measured.values();
  const rows = [...measured].map(([name, costs]): Cell[] => {
    const of = (pick: (cost: Cost) => number): number => median(costs.map(pick));
    const ratio = (roles: readonly string[]): number =>
      median(
        costs.map(
          (cost, at) => sumOf(cost.msByRole, roles) / sumOf((first[at] ?? cost).msByRole, roles),
        ),
      );
    return [
      name,
      ...ROLES.map((role) =>
        round(
          of(({ msByRole }) => msByRole[role] ?? 0),
          2,
        ),
      ),
      round(
        of(({ msByRole }) => sumOf(msByRole, ROLES)),
        2,
      ),
      round(ratio(ROLES), 2),
      round(ratio(OWN), 2),
      round(of(({ travelled }) => travelled.whole.p50Ms)),
      round(
        of(({ storedBytes }) => storedBytes),
        0,
      ),
      round(sumOf(resting.get(name) ?? {}, ROLES) * 100, 1),
    ];
  });
  const title = 'Processor time of a message, everything that follows from it included';
  const chart = { title: 'Processor time of a message, ms', x: FORMATION.name, y: ['all', ...OWN] };
  return { tables: [{ title, columns: COLUMNS, rows, chart }], notes: NOTES };
}

const FORMATION = { name: 'gateways + actors', unit: '' };
const COLUMNS = [
  FORMATION,
  ...ROLES.map((name) => ({ name, unit: 'ms' })),
  { name: 'all', unit: 'ms' },
  { name: 'all, of the first', unit: '' },
  { name: 'gateways and actors, of the first', unit: '' },
  { name: 'due to subscriber p50', unit: 'ms' },
  { name: 'stored', unit: 'bytes' },
  { name: 'at rest', unit: '% of a core' },
];

const NOTES = [
  `${PER_SECOND} messages/s, accepted, sent, delivered, read, told to one subscriber`,
  'every message was on record as read, and told to the subscriber, before the next load',
  'from utime and stime of each process in /proc, less what it spends at rest',
  'ratios are medians of the rounds, each to the first formation in the same round',
];
