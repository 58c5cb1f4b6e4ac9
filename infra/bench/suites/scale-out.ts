/**
 * Scale-out: one, two and four gateways and actors processes on the same machine, under the same
 * load, in turns. More processes must not make a message dearer: what a message costs is processor
 * time of every process that works for it, NATS, MongoDB and the simulator included.
 */
import { cpuByRole, cpuSince } from '../cpu.ts';
import { inTurns, median, round } from '../rounds.ts';
import { type Cost, costOf, type Formation, startFormation } from '../scale-out/formations.ts';
import type { Cell, Context, Result, Suite } from '../suite.ts';

const PROCESSES = [1, 2, 4];
const WARM_UP = { perSecond: 150, seconds: 14 };
const PER_SECOND = 200;
const ROLES = ['gateway', 'actors', 'nats', 'mongo', 'sandbox'];
const REST_MS = 3_000;

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
  for (const formation of formations) await costOf(formation, WARM_UP);
  const resting = new Map<string, number>();
  for (const formation of formations) resting.set(formation.name, await restingShare(formation));
  const measured = await inTurns(
    formations.map((formation) => ({
      name: formation.name,
      measure: async () => {
        const cost = await costOf(formation, { perSecond: PER_SECOND, seconds: options.seconds });
        say(`${formation.name}: ${total(cost).toFixed(2)} ms a message`);
        return cost;
      },
    })),
    options.rounds,
  );
  return resultOf(measured, resting);
}

/** Of one core, while nothing is asked: it is no part of what a message costs. */
async function restingShare({ way }: Formation): Promise<number> {
  const { pids } = way.service.run();
  const before = cpuByRole(pids);
  await new Promise((resume) => setTimeout(resume, REST_MS));
  const used = Object.values(cpuSince(before, cpuByRole(pids)));
  return (used.reduce((sum, seconds) => sum + seconds, 0) * 1000) / REST_MS;
}

function total({ msByRole }: Cost): number {
  return ROLES.reduce((sum, role) => sum + (msByRole[role] ?? 0), 0);
}

function resultOf(
  measured: ReadonlyMap<string, readonly Cost[]>,
  resting: ReadonlyMap<string, number>,
): Result {
  const [first = []] = measured.values();
  const rows = [...measured].map(([name, costs]): Cell[] => [
    name,
    ...ROLES.map((role) => round(median(costs.map(({ msByRole }) => msByRole[role] ?? 0)), 3)),
    round(median(costs.map(total)), 2),
    round(median(costs.map((cost, at) => total(cost) / total(first[at] ?? cost))), 2),
    round(median(costs.map(({ storedBytes }) => storedBytes)), 0),
    round(median(costs.map(({ travelled }) => travelled.whole.p50Ms))),
    round((resting.get(name) ?? 0) * 100, 1),
  ]);
  return {
    tables: [
      {
        title: 'Processor time of a message, everything that follows from it included',
        columns: [
          { name: 'gateways + actors', unit: '' },
          ...ROLES.map((name) => ({ name, unit: 'ms' })),
          { name: 'all', unit: 'ms' },
          { name: 'of the first', unit: '' },
          { name: 'stored', unit: 'bytes' },
          { name: 'due to subscriber p50', unit: 'ms' },
          { name: 'at rest', unit: '% of a core' },
        ],
        rows,
      },
    ],
    notes: [
      `${PER_SECOND} messages/s, accepted, sent, delivered, read, told to one subscriber`,
      'from utime and stime of each process in /proc',
    ],
  };
}
