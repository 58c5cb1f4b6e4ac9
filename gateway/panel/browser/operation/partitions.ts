/** Partition map: who holds each partition of a kind, at which epoch. Pure. */
import type { RunningProcess } from './api.ts';

export interface Held {
  readonly partition: number;
  readonly epoch: number;
  /** Place of the process in the list. */
  readonly process: number;
}

export interface KindMap {
  readonly kind: string;
  readonly held: readonly Held[];
}

/** Each kind with its partitions in order; a partition that nobody holds is absent. */
export function partitionMap(processes: readonly RunningProcess[]): readonly KindMap[] {
  const kinds = [...new Set(processes.flatMap(({ partitions }) => Object.keys(partitions)))];
  return kinds.toSorted().map((kind) => {
    const held = processes.flatMap(({ partitions, epochs }, process) =>
      (partitions[kind] ?? []).map((partition, index) => {
        return { partition, epoch: epochs[kind]?.[index] ?? 0, process };
      }),
    );
    return { kind, held: held.toSorted((a, b) => a.partition - b.partition) };
  });
}

/** `0–31, 40`; a number counts once. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
