/** How evenly the load of partitions is spread over the processes that own them. */
import { capOf } from '../../../../actors/runtime/placement.ts';
import { PARTITIONS } from '../../../../shared/limits.ts';
import type { PartitionRow } from '../../../../shared/ports/registry.ts';
import { parsePartition } from '../../../../shared/wire/subjects.ts';
import { LOADED, type Loaded, type Population } from './population.ts';

/** Milliseconds of a core for one message, by kind (docs/scaling.md); a channel with conversation. */
const COST: Readonly<Record<Loaded, number>> = {
  channel: 3.17 + 2.23,
  organization: 1.34,
  subscription: 2.27,
};

export interface Spread {
  readonly name: string;
  /** Multiples of an even share of the load. */
  readonly max: number;
  readonly p99: number;
  readonly median: number;
  /** Processes without any of it. */
  readonly idle: number;
  /** The least possible maximum, as far as the longest-first rule finds it. */
  readonly best: number;
}

export function spreadsOf(
  rows: readonly PartitionRow[],
  processes: readonly string[],
  { load }: Population,
): readonly Spread[] {
  const loadsOf = (
    kind: Loaded,
    of: (partition: number) => number,
  ): ReadonlyMap<string, number> => {
    const loads = new Map(processes.map((id) => [id, 0]));
    for (const { name, owner } of rows) {
      const partition = parsePartition(name);
      if (owner === null || partition?.kind !== kind) continue;
      loads.set(owner, (loads.get(owner) ?? 0) + of(partition.number));
    }
    return loads;
  };
  const best = (loads: readonly number[]) => longestFirst(loads, processes.length);
  const byKind = LOADED.map((kind) => {
    return { kind, loads: loadsOf(kind, (number) => load[kind][number] ?? 0) };
  });
  const costs = LOADED.reduce((sum, kind) => sum + COST[kind], 0);
  const all = processes.map((id): [string, number] => {
    const cost = byKind.reduce((sum, { kind, loads }) => {
      return sum + (loads.get(id) ?? 0) * COST[kind];
    }, 0);
    return [id, cost / costs];
  });
  const together = LOADED.flatMap((kind) =>
    [...load[kind]].map((share) => (share * COST[kind]) / costs),
  );
  const alike = loadsOf('channel', () => 1 / PARTITIONS);
  const evenBest = (capOf(1, processes.length) * processes.length) / PARTITIONS;
  return [
    spreadOf('partitions, if all were alike', alike, evenBest),
    ...byKind.map(({ kind, loads }) => {
      const name = kind === 'channel' ? 'channel + conversation' : kind;
      return spreadOf(name, loads, best([...load[kind]]));
    }),
    spreadOf('all, by the cost of a message', new Map(all), best(together)),
  ];
}

function spreadOf(name: string, loads: ReadonlyMap<string, number>, best: number): Spread {
  const sorted = [...loads.values()].toSorted((one, other) => one - other);
  const share = (part: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0) * sorted.length;
  const idle = sorted.filter((sum) => sum === 0).length;
  return { name, max: share(1), p99: share(0.99), median: share(0.5), idle, best };
}

/** The largest load when each partition, the largest first, goes to whoever has least. */
function longestFirst(loads: readonly number[], processes: number): number {
  const sums = Array.from({ length: processes }, () => 0);
  for (const load of loads.toSorted((one, other) => other - one)) {
    let least = 0;
    sums.forEach((sum, at) => {
      if (sum < (sums[least] ?? 0)) least = at;
    });
    sums[least] = (sums[least] ?? 0) + load;
  }
  return Math.max(...sums) * processes;
}
