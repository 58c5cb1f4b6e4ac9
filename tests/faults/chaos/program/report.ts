/** Report of a run, with denominators. */
import { CHECKERS } from '../checkers/all.ts';
import type { Verdict } from '../checkers/checker.ts';
import { bridgeFaultsOf, faultsOf } from '../checkers/facts.ts';
import { answersAfter } from '../checkers/liveness.ts';
import type { History } from '../history.ts';
import { recoveriesOf } from '../recoveries.ts';
import { roleOf } from './schedule.ts';

/** Recovery belongs to the fault. */
const AFTERMATH_MS = 15_000;

export interface Report {
  /** How much each checker has checked. */
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
    'recovery',
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
  const touched = new Map<string, number>();
  for (const { kind, parts } of faults) {
    count(counts, kind);
    const deed = kind.replace(/-(some|all)$/, '');
    for (const part of parts) count(touched, `${deed} ${roleOf(part)}`);
  }
  const bridge = new Map<string, number>();
  for (const { kind, engine } of bridgeFaultsOf(history)) count(bridge, `${kind} ${engine}`);
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
    `  after any fault, ${sharesOf(recoveriesOf(history))}`,
    `  after the last fault, ${sharesOf(times)}`,
    `  nothing due any more: ${ms} ms after the work stopped`,
  ];
}

/** Of so many first answers. */
function sharesOf(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const share = (part: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return `${times.length} first answers: p50 ${share(0.5)} ms, p99 ${share(0.99)} ms, longest ${share(1)} ms`;
}
