/** The formations side by side: the cost of a message per process of each. */
import type { CpuByRole } from '../cpu.ts';
import { median, round } from '../rounds.ts';
import type { Cell, Column, Table } from '../suite.ts';
import { KINDS } from './by-kind.ts';
import type { Cost } from './formations.ts';

/** Where every kind has a process of its own there is no role `actors`. */
const ACTORS = ['actors', ...KINDS, 'others'];
const OWN = ['gateway', ...ACTORS];
/** Roles that are counted together, by the name of their column. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['gateway'],
  actors: ACTORS,
  nats: ['nats'],
  mongo: ['mongo'],
  sandbox: ['sandbox'],
};
const FORMATION: Column = { name: 'gateways + actors', unit: '' };

type Costs = ReadonlyMap<string, readonly Cost[]>;

/** Of the roles named, or of all. */
export function sumOf(byRole: CpuByRole, roles = Object.keys(byRole)): number {
  return roles.reduce((sum, role) => sum + (byRole[role] ?? 0), 0);
}

function medianMs(costs: readonly Cost[], roles?: string[]): number {
  return round(median(costs.map(({ msByRole }) => sumOf(msByRole, roles))), 3);
}

/** Measured under one load, and under one that grows with the processes. */
interface Measured {
  readonly same: Costs;
  readonly growing: Costs;
}

type Resting = ReadonlyMap<string, CpuByRole>;

/** The model reads the first two (`infra/bench/scaling/costs.ts`). */
export function tablesOf({ same, growing }: Measured, resting: Resting): readonly Table[] {
  return [
    formationsTable(same, resting, 'the same load'),
    kindsTable(same),
    formationsTable(growing, resting, 'a load that grows with the processes'),
  ];
}

function formationsTable(measured: Costs, resting: Resting, load: string): Table {
  const [first = []] = measured.values();
  const rows = [...measured].map(([name, costs]): Cell[] => [
    name,
    ...Object.values(GROUPS).map((roles) => medianMs(costs, [...roles])),
    medianMs(costs),
    ratio(costs, first),
    ratio(costs, first, OWN),
    round(median(costs.map(({ journeyRun }) => journeyRun.whole.p50Ms))),
    Math.round(median(costs.map(({ storedBytes }) => storedBytes))),
    round(sumOf(resting.get(name) ?? {}) * 100, 1),
  ]);
  return {
    title: `Processor time of a message, everything that follows from it included: ${load}`,
    columns: [
      FORMATION,
      ...Object.keys(GROUPS).map((name) => ({ name, unit: 'ms' })),
      { name: 'all', unit: 'ms' },
      { name: 'all, of the first', unit: '' },
      { name: 'gateways and actors, of the first', unit: '' },
      { name: 'due to subscriber p50', unit: 'ms' },
      { name: 'stored', unit: 'bytes' },
      { name: 'at rest', unit: '% of a core' },
    ],
    rows,
    chart: {
      title: `Processor time of a message, ms: ${load}`,
      x: FORMATION.name,
      y: ['all', ...Object.keys(GROUPS)],
    },
  };
}

function ratio(costs: readonly Cost[], first: readonly Cost[], roles?: string[]): number {
  const ratios = costs.map(
    ({ msByRole }, at) => sumOf(msByRole, roles) / sumOf(first[at]?.msByRole ?? msByRole, roles),
  );
  return round(median(ratios), 2);
}

function kindsTable(measured: Costs): Table {
  const costs = [...measured.values()].at(-1) ?? [];
  return {
    title: 'Processor time of a message by kind of actor, each in a process of its own',
    columns: [
      { name: 'kind', unit: '' },
      { name: 'of a message', unit: 'ms' },
    ],
    rows: KINDS.map((kind) => [kind, medianMs(costs, [kind])]),
  };
}
