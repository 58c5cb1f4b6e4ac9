/** Which tests run which parts of the targets, how long each takes, and that each passes alone. */
import type { Imports } from './imports.ts';
import type { Results, TestRecord } from './results.ts';
import type { Survey, Surveyed } from './thread.ts';
import { type Answered, type Order, workOff } from './threads.ts';

const DEADLINE_MS = 300_000;
/** A test that takes more processor time is left to `npm test`. */
export const TEST_CPU_MS_MAX = 4_000;

export interface Surveying {
  readonly imports: Imports;
  readonly results: Results;
  readonly threads: number;
  /** Of the program itself: a kept result of another version is none. */
  readonly version: string;
}

/** Test files to their tests. Throws when one fails on the source as it is. */
export async function surveyTests(
  { imports, results, threads, version }: Surveying,
  files: readonly string[],
  targets: readonly string[],
): Promise<ReadonlyMap<string, readonly TestRecord[]>> {
  const found = new Map<string, readonly TestRecord[]>();
  const orders: Order<readonly Surveyed[]>[] = [];
  for (const test of files) {
    const closure = imports.closure(test);
    const seen = targets.filter((target) => closure.has(target));
    const key = [version, imports.digest(test), ...seen].join(' ');
    const stored = results.surveys.get(key);
    if (stored) found.set(test, stored);
    if (stored) continue;
    const dependents = new Set(seen.flatMap((target) => imports.dependents(target, closure)));
    const lengths = new Map(seen.map((target) => [target, imports.text(target).length]));
    const message: Survey = { kind: 'survey', test, dependents, targets: lengths };
    const done = ({ answer, ended }: Answered<readonly Surveyed[]>): void => {
      if (!answer) throw new Error(`${test} could not be surveyed: ${ended}`);
      const records = answer.map(recordOf);
      results.surveys.set(key, records);
      found.set(test, records);
    };
    orders.push({ message, deadlineMs: DEADLINE_MS, done });
  }
  await workOff(orders, threads);
  const failures = [...found].flatMap(([file, tests]) =>
    tests.filter(({ failed }) => failed).map(({ title, failed }) => `${file}: ${title}: ${failed}`),
  );
  if (failures.length > 0) throw new Error(`tests fail by themselves:\n${failures.join('\n')}`);
  return found;
}

function recordOf({ title, ms, cpuMs, failed, ran }: Surveyed): TestRecord {
  const stretches = [...ran].map(([file, bytes]) => [file, stretchesOf(bytes)] as const);
  return { title, ms, cpuMs, failed, ran: Object.fromEntries(stretches) };
}

function stretchesOf(bytes: Uint8Array): readonly number[] {
  const edges: number[] = [];
  for (let at = 0; at <= bytes.length; at++) {
    if ((bytes[at] ?? 0) !== (bytes[at - 1] ?? 0)) edges.push(at);
  }
  return edges;
}

/** Whether anything was run between the two, or beside them. */
export function hasRun(
  record: TestRecord,
  { file, start, end }: { readonly file: string; readonly start: number; readonly end: number },
): boolean {
  const edges = record.ran[file] ?? [];
  for (let at = 0; at < edges.length; at += 2) {
    if ((edges[at] ?? 0) <= end && (edges[at + 1] ?? 0) >= start) return true;
  }
  return false;
}
