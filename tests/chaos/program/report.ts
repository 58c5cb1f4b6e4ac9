/** What a run has shown, with denominators. */
import { CHECKERS } from '../checkers/all.ts';
import type { Verdict } from '../checkers/checker.ts';
import { faultsOf } from '../checkers/facts.ts';
import { answersAfter } from '../checkers/liveness.ts';
import type { History } from '../history.ts';

/** Recovery belongs to the fault. */
const AFTERMATH_MS = 15_000;

export interface Report {
  /** Of every checker, how much it looked at. */
  readonly counted: Readonly<Record<string, Verdict['counted']>>;
  readonly lines: readonly string[];
  readonly violations: readonly string[];
}

export async function reportOn(history: History): Promise<Report> {
  const verdicts: (readonly [string, Verdict])[] = [];
  for (const [name, check] of Object.entries(CHECKERS)) {
    verdicts.push([name, await check(history)]);
  }
  const violations = verdicts.flatMap(([name, verdict]) =>
    verdict.violations.map((violation) => `${name}: ${violation}`),
  );
  const lines = [
    'operations (ok, refused, unanswered)',
    ...operationLines(history),
    'faults',
    ...faultLines(history),
    'unanswered outside of faults and the 15 s after them',
    unexplained(history),
    'recovery after the last fault',
    ...recoveryLines(history),
    'checked',
    ...verdicts.map(([name, { violations: found, counted }]) => {
      const numbers = Object.entries(counted).map(([what, count]) => `${what} ${count}`);
      return `  ${name}: ${found.length} violations; ${numbers.join(', ')}`;
    }),
    `violations: ${violations.length}`,
    ...violations.map((violation) => `  ${violation}`),
  ];
  const counted = Object.fromEntries(verdicts.map(([name, verdict]) => [name, verdict.counted]));
  return { counted, lines, violations };
}

function operationLines(history: History): string[] {
  const calling = new Set(history.filter(({ type }) => type === 'invoke').map(({ op }) => op));
  return [...calling].sort().map((op) => {
    const ended = (type: string) =>
      history.filter((recorded) => recorded.op === op && recorded.type === type).length;
    const invoked = ended('invoke');
    return `  ${op}: ${invoked} (${ended('ok')}, ${ended('refused')}, ${ended('info')})`;
  });
}

function faultLines(history: History): string[] {
  const faults = faultsOf(history);
  const counts = new Map<string, number>();
  for (const { kind, parts } of faults) {
    const roles = new Set(parts.map((part) => part.replace(/-\d+$/, '')));
    const what = roles.size > 3 ? kind : `${kind} ${[...roles].sort().join('+')}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const told = [...counts].sort().map(([what, count]) => `${count} × ${what}`);
  return [`  ${faults.length} in all: ${told.join(', ')}`];
}

function unexplained(history: History): string {
  const faults = faultsOf(history);
  const calm = history.filter(
    ({ t }) => !faults.some(({ from, to }) => t >= from && t <= to + AFTERMATH_MS),
  );
  const ends = calm.filter(({ type, process }) => type !== 'invoke' && process.includes('-'));
  const unanswered = ends.filter(({ type }) => type === 'info').length;
  return `  ${unanswered} of ${ends.length} calls`;
}

function recoveryLines(history: History): string[] {
  const healed = history.find(({ op }) => op === 'healed');
  const drained = history.find(({ op }) => op === 'drained');
  if (healed === undefined) return [];
  const times = answersAfter(history, healed.t).map(({ ms }) => ms);
  const ms = Math.round(Number(Reflect.get(Object(drained?.body), 'ms')));
  return [
    `  first answer of ${times.length} workers: p50 ${share(times, 0.5)} ms, p99 ${share(times, 0.99)} ms`,
    `  nothing due any more: ${ms} ms after the work stopped`,
  ];
}

function share(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
}
