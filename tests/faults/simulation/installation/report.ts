/** `npm run sim -- --installation`: one large installation in virtual time, as tables of text. */
import { Scheduler } from '../world/scheduler.ts';
import { SeededRandom } from '../world/seeded-random.ts';
import { type Spread, spreadsOf } from './evenness.ts';
import { Fleet } from './fleet.ts';
import { type Population, populate } from './population.ts';
import {
  atRest,
  type LostRack,
  loseRack,
  ownersAfterRoll,
  type Phase,
  type RollingRestart,
  restartInTurns,
  startAll,
} from './scenarios.ts';
import { COUNTED } from './traffic.ts';

const NONE = { sum: 0, peak: 0 };

export interface InstallationSize {
  readonly seed: number;
  readonly processes: number;
  readonly organizations: number;
  readonly numbers: number;
  readonly racks: number;
  /** So many are restarted in turns, event by event. */
  readonly restarts: number;
  readonly mongoCores: number;
}

export interface Installation {
  readonly population: Population;
  readonly start: Phase;
  readonly rest: Phase;
  readonly restarts: RollingRestart;
  readonly rack: LostRack;
  /** By the name of the state. */
  readonly spreads: Readonly<Record<string, readonly Spread[]>>;
  /** Moves of a restart of all. */
  readonly movesOfRoll: number;
  /** Partitions that two processes served at one moment. */
  readonly overlaps: number;
}

export async function simulateInstallation(size: InstallationSize): Promise<Installation> {
  const { processes, racks, restarts: count, mongoCores } = size;
  const random = new SeededRandom(size.seed);
  const population = populate(size, random.branch());
  const fleet = new Fleet({ scheduler: new Scheduler(), random: random.branch(), mongoCores });
  const living = () => fleet.record.members().map(({ id }) => id);
  const start = await startAll(fleet, processes, racks);
  const rest = await atRest(fleet);
  const rows = fleet.record.rows();
  const started = spreadsOf(rows, living(), population);
  const rolled = ownersAfterRoll(fleet.record.members(), rows);
  const again = living().map((id) => `${id}.again`);
  const restarts = await restartInTurns(fleet, count);
  const rack = await loseRack(fleet, racks - 1);
  const survivors = [...new Set(rack.survivors.flatMap(({ owner }) => owner ?? []))];
  return {
    ...{ population, start, rest, restarts, rack },
    spreads: {
      'after the start': started,
      'after a restart of all': spreadsOf(rolled.rows, again, population),
      'a rack lost': spreadsOf(rack.survivors, survivors, population),
      'the rack back': spreadsOf(fleet.record.rows(), living(), population),
    },
    movesOfRoll: rolled.moves,
    overlaps: fleet.service.overlaps,
  };
}

export function linesOf(size: InstallationSize, done: Installation): readonly string[] {
  const { population, restarts, rack } = done;
  const { processes, organizations, numbers, racks, seed, mongoCores } = size;
  return [
    `seed ${seed}: ${processes} processes in ${racks} racks, ${whole(organizations)} organizations, ` +
      `${whole(numbers)} numbers, a primary of ${mongoCores} cores`,
    `the largest organization has ${whole(population.mostNumbers)} numbers and ` +
      `${percent(population.largestOrganization)} of all messages, the largest number ` +
      `${percent(population.largestNumber)}`,
    ...Object.entries(done.spreads).flatMap(([state, spreads]) => [
      '',
      ...evenness(state, spreads),
    ]),
    '',
    ...traffic([done.start, done.rest, restarts, rack.outage, rack.returned]),
    '',
    `restarts: ${restarts.moves} partitions moved, ${restarts.leastMoves} is the least; ` +
      `of all ${processes}: ${whole(done.movesOfRoll)}`,
    `partitions served by two at once: ${done.overlaps}`,
  ];
}

function evenness(state: string, spreads: readonly Spread[]): readonly string[] {
  return table(
    [`${state}: load, even = 1`, 'max', 'p99', 'median', 'idle', 'best max'],
    spreads.map(({ name, max, p99, median, idle, best }) => {
      return [name, ...[max, p99, median].map(ratio), whole(idle), ratio(best)];
    }),
  );
}

function traffic(phases: readonly Phase[]): readonly string[] {
  const row = (name: string, of: (phase: Phase) => string) => [name, ...phases.map(of)];
  return table(
    ['sum (highest second)', ...phases.map(({ name }) => name)],
    [
      row('virtual seconds', ({ ms }) => (ms / 1_000).toFixed(1)),
      ...COUNTED.map((what) =>
        row(what, ({ traffic: counted }) => {
          const { sum, peak } = counted.get(what) ?? NONE;
          return `${whole(sum)} (${whole(peak)})`;
        }),
      ),
      row('pauses of partitions', ({ pauses }) => whole(pauses.length)),
      row('pause ms, p50', ({ pauses }) => whole(quantile(pauses, 0.5))),
      row('pause ms, p99', ({ pauses }) => whole(quantile(pauses, 0.99))),
      row('partition-seconds unserved', ({ pauses }) => {
        return (pauses.reduce((sum, ms) => sum + ms, 0) / 1_000).toFixed(1);
      }),
    ],
  );
}

/** @param sorted the smallest first */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

const ratio = (value: number): string => value.toFixed(2);
const percent = (share: number): string => `${(share * 100).toPrecision(2)} %`;
const whole = (count: number): string => Math.round(count).toLocaleString('en-US');

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
}
