/** Report of a run, with denominators. */
import * as v from 'valibot';
import { verdictsOn, violationsIn } from '../../checkers/all.ts';
import type { Verdict } from '../../checkers/checker.ts';
import type { History } from '../../checkers/history.ts';
import { answersAfter } from '../../checkers/liveness.ts';
import { historyOf } from '../history.ts';
import { type Recorded, seenOf } from '../records.ts';
import { recoveriesOf } from '../recoveries.ts';
import { roleOf } from './schedule.ts';

/** Recovery belongs to the fault. */
const AFTERMATH_MS = 15_000;
const Drained = v.object({ ms: v.number() });

export interface Report {
  /** How much each checker has checked. */
  readonly counted: Readonly<Record<string, Verdict['counted']>>;
  readonly lines: readonly string[];
  readonly violations: readonly string[];
}

export function reportOn(records: readonly Recorded[]): Report {
  const history = historyOf(records);
  const verdicts = verdictsOn(history);
  const violations = violationsIn(verdicts);
  const lines = [
    'operations (ok, refused, unanswered)',
    ...operationLines(history),
    'faults',
    ...faultLines(history),
    'unanswered outside of faults and the 15 s after them',
    unexplained(history),
    'recovery',
    ...recoveryLines(history, seenOf(records, 'drained', Drained)[0]?.ms),
    'checked',
    ...verdicts.map(([name, { violations: found, counted, skipped }]) => {
      const numbers = Object.entries(counted).map(([what, count]) => `${what} ${count}`);
      const lacking = skipped.length > 0 ? [`without the facts for ${skipped.join(', ')}`] : [];
      return `  ${name}: ${[`${found.length} violations`, ...numbers, ...lacking].join(', ')}`;
    }),
    `violations: ${violations.length}`,
    ...violations.map((violation) => `  ${violation}`),
  ];
  const counted = Object.fromEntries(verdicts.map(([name, verdict]) => [name, verdict.counted]));
  return { counted, lines, violations };
}

function operationLines({ calls }: History): string[] {
  const operations = [...Map.groupBy(calls, ({ operation }) => operation)].sort();
  return operations.map(([operation, made]) => {
    const ended = (as: string) => made.filter(({ outcome }) => outcome === as).length;
    const ends = [ended('ok'), ended('refused'), ended('unknown')].join(', ');
    return `  ${operation}: ${made.length} (${ends})`;
  });
}

function faultLines({ faults, bridgeFaults }: History): string[] {
  const counts = new Map<string, number>();
  const touched = new Map<string, number>();
  for (const { kind, parts } of faults) {
    count(counts, kind);
    const deed = kind.replace(/-(some|all)$/, '');
    for (const part of parts) count(touched, `${deed} ${roleOf(part)}`);
  }
  const bridge = new Map<string, number>();
  for (const { kind, engine } of bridgeFaults) count(bridge, `${kind} ${engine}`);
  return [
    `  ${faults.length} in all: ${listed(counts)}`,
    `  by what they touched: ${listed(touched)}`,
    `  of the bridge: ${listed(bridge)}`,
  ];
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort()
    .map(([what, times]) => `${times} × ${what}`)
    .join(', ');
}

function unexplained({ calls, faults }: History): string {
  const ends = calls.filter(
    ({ returnedAt: t }) =>
      Number.isFinite(t) && !faults.some(({ from, to }) => t >= from && t <= to + AFTERMATH_MS),
  );
  const unanswered = ends.filter(({ outcome }) => outcome === 'unknown').length;
  return `  ${unanswered} of ${ends.length} calls`;
}

function recoveryLines(history: History, drainedMs = Number.NaN): string[] {
  if (!history.healed) return [];
  const times = answersAfter(history, history.healed.at).map(({ ms }) => ms);
  return [
    `  after any fault, ${sharesOf(recoveriesOf(history))}`,
    `  after the last fault, ${sharesOf(times)}`,
    `  nothing due any more: ${Math.round(drainedMs)} ms after the work stopped`,
  ];
}

/** Of so many first answers. */
function sharesOf(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const share = (part: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return `${times.length} first answers: p50 ${share(0.5)} ms, p99 ${share(0.99)} ms, longest ${share(1)} ms`;
}
