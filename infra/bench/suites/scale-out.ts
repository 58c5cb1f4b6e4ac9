/**
 * Scale-out: one to eight gateways and actors processes on the same machine, in turns. The load
 * grows with them in one part, and stays the same in the other. More processes must not make a
 * message more expensive. Its cost is the processor time of every process that works for it, NATS,
 * MongoDB and the simulator included.
 */
import type { CpuByRole } from '../cpu.ts';
import { inTurns } from '../rounds.ts';
import { startByKind } from '../scale-out/by-kind.ts';
import { costOf, type Formation, restOf, startFormation } from '../scale-out/formations.ts';
import { sumOf, tablesOf } from '../scale-out/tables.ts';
import type { Context, Result, Suite } from '../suite.ts';

const PROCESSES = [1, 2, 4, 8];
/** Loads that grow with the processes: eight of them would be more than two cores bear. */
const GROWING = 3;
/**
 * Even four times this is below the capacity of two cores: no formation drains a backlog in
 * batches.
 */
const PER_SECOND = 60;
/** Each process must handle as much as a single one does before its code is compiled as well. */
const WARM_UP_ROUNDS = 5;

export const scaleOut: Suite = {
  name: 'scale-out',
  about: 'what a message costs with 1, 2, 4 and 8 gateways and actors processes',
  run,
};

async function run(context: Context): Promise<Result> {
  const formations: Formation[] = [];
  try {
    for (const processes of PROCESSES) formations.push(await startFormation(context, processes));
    formations.push(await startByKind(context));
    return await measure(context, formations);
  } finally {
    for (const formation of formations) await formation.close();
  }
}

async function measure(context: Context, formations: readonly Formation[]): Promise<Result> {
  const { options, logProgress } = context;
  const { rounds, seconds } = options;
  for (const [at, formation] of formations.entries()) {
    const long = WARM_UP_ROUNDS * seconds * (PROCESSES[at] ?? 2);
    await costOf(formation, { perSecond: PER_SECOND, seconds: long }, {});
    logProgress(`${formation.name}: warm`);
  }
  const resting = new Map<string, CpuByRole>();
  for (const formation of formations) {
    resting.set(formation.name, await restOf(formation, 2 * seconds));
  }
  const measured = (those: readonly Formation[], times: readonly number[]) => {
    const sides = those.map((formation, at) => ({
      name: formation.name,
      measure: async () => {
        const pace = { perSecond: PER_SECOND * (times[at] ?? 1), seconds: 2 * seconds };
        const cost = await costOf(formation, pace, resting.get(formation.name) ?? {});
        const ms = sumOf(cost.msByRole).toFixed(2);
        logProgress(`${formation.name}, ${pace.perSecond}/s: ${ms} ms a message`);
        return cost;
      },
    }));
    return inTurns(sides, rounds);
  };
  const growing = await measured(formations.slice(0, GROWING), PROCESSES);
  const same = await measured(formations, []);
  return {
    tables: tablesOf({ same, growing }, resting),
    notes: [
      `${PER_SECOND} messages/s, or as many for each gateway and actors process`,
      'each accepted, sent, delivered, read, told to one subscriber',
      'every message was on record as read, and told to the subscriber, before the next load',
      'from utime and stime of each process in /proc, less what it spends at rest',
      'ratios are medians of the rounds, each to the first formation in the same round',
    ],
  };
}
