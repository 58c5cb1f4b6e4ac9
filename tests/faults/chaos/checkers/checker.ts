/** A checker is a pure function over a history: its violations, and how much it has checked. */
import type { History } from '../history.ts';

export interface Verdict {
  /** One sentence each; none is a pass. */
  readonly violations: readonly string[];
  /** The denominators. */
  readonly counted: Readonly<Record<string, number>>;
}

export type Checker = (history: History) => Verdict | Promise<Verdict>;

/** Groups, and gives the groups of one key alone: `of` answers an empty list where none is. */
export function grouped<T>(list: readonly T[], keyOf: (each: T) => string) {
  const groups = Map.groupBy(list, keyOf);
  return { groups, of: (key: string): readonly T[] => groups.get(key) ?? [] };
}
