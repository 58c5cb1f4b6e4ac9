/** Partition map: who holds which partitions of a kind, at which epoch. Pure. */
import type { HeldRange, RunningProcess } from './api.ts';

export interface Held extends HeldRange {
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
    const held = processes.flatMap(({ partitions }, process) =>
      (partitions[kind] ?? []).map((range) => ({ ...range, process })),
    );
    return { kind, held: held.toSorted((a, b) => a.from - b.from) };
  });
}

type Range = Pick<HeldRange, 'from' | 'to'>;

/** `0–31, 40`; ranges that touch are one. */
export function rangesOf(ranges: readonly Range[]): string {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to + 1) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined.map(rangeText).join(', ');
}

export function rangeText({ from, to }: Range): string {
  return from === to ? `${from}` : `${from}–${to}`;
}
