/** Text formats that several checks share. */
import type { Finding } from '../../../../shared/problems/findings.ts';

/** How many of a kind are read and named at most. */
export const SHOWN = 1_000;
const NAMED = 5;

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
];

/** A duration in readable form: `3 h`, `12 min`, `40 s`. */
export function ago(ms: number): string {
  const unit = UNITS.find(([, size]) => ms >= 2 * size);
  return unit
    ? `${Math.round(ms / unit[1])} ${unit[0]}`
    : `${Math.max(0, Math.round(ms / 1_000))} s`;
}

/** The first of them, and how many more there are. */
export function firstOf<Each>(all: readonly Each[]): {
  readonly shown: readonly Each[];
  readonly more: number;
} {
  return { shown: all.slice(0, NAMED), more: Math.max(0, all.length - NAMED) };
}

export function namedFindings(findings: readonly Finding[]): readonly Finding[] {
  const { shown, more } = firstOf(findings);
  return [...shown, ...(more > 0 ? [{ code: 'more', params: { count: more } } as const] : [])];
}
