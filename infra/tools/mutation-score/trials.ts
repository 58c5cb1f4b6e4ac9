/** Tries mutations: each with the tests that run its place, the quickest first. */
import { createHash } from 'node:crypto';
import type { Imports } from './imports.ts';
import { type Mutation, mutated, type Verdict } from './mutation.ts';
import type { StoredVerdict, TestRecord } from './results.ts';
import { hasRun, type Surveying, TEST_CPU_MS_MAX } from './survey.ts';
import type { Trial, Tried } from './thread.ts';
import { type Answered, type Order, workOff } from './threads.ts';

/** Added to some times the tests' own duration: the machine may be busy with others. */
const DEADLINE_MS = 10_000;
const DEADLINE_TIMES = 5;
/** A file that is loaded anew for a mutation. */
const LOAD_MS = 5;
const WRITE_EVERY = 25;

type Tests = ReadonlyMap<string, readonly TestRecord[]>;

interface Chosen {
  readonly file: string;
  readonly chosen: ReadonlySet<number>;
  /** As one expects, loading included. */
  readonly ms: number;
}

export interface Trying extends Surveying {
  readonly tests: Tests;
  readonly onVerdict?: (mutation: Mutation, verdict: Verdict) => void;
}

export async function tryAll(
  trying: Trying,
  mutations: readonly Mutation[],
): Promise<ReadonlyMap<Mutation, Verdict>> {
  const { imports, results, threads, tests } = trying;
  const verdicts = new Map<Mutation, Verdict>();
  const settle = (mutation: Mutation, verdict: Verdict): void => {
    verdicts.set(mutation, verdict);
    trying.onVerdict?.(mutation, verdict);
  };
  const again: Order<Tried>[] = [];
  const orders: Order<Tried>[] = [];
  for (const mutation of mutations) {
    const chosen = testsOf(imports, mutation, tests);
    const key = keyOf(trying, mutation);
    const stored = chosen.length === 0 ? null : results.verdicts.get(key);
    if (chosen.length === 0) settle(mutation, { status: 'uncovered' });
    else if (stored && holds(imports, stored, chosen)) settle(mutation, stored);
    else {
      const keep = (verdict: Verdict): void => {
        results.verdicts.set(key, { ...verdict, seen: seenBy(imports, verdict, chosen) });
        settle(mutation, verdict);
        if (verdicts.size % WRITE_EVERY === 0) results.write(false);
      };
      const order = orderOf(imports, mutation, chosen);
      const last = { ...order, done: (answered: Answered<Tried>) => keep(verdictOf(answered)) };
      orders.push({
        ...order,
        // A mutation before it may have left behind what broke the thread.
        done: (answered) => (answered.ended === 'broken' ? again.push(last) : last.done(answered)),
      });
    }
  }
  await workOff(orders, threads);
  await workOff(again, threads);
  return verdicts;
}

function testsOf(imports: Imports, mutation: Mutation, tests: Tests): readonly Chosen[] {
  const chosen: Chosen[] = [];
  for (const [file, records] of tests) {
    const indexes = records.flatMap((record, index) =>
      record.cpuMs <= TEST_CPU_MS_MAX && hasRun(record, mutation) ? [index] : [],
    );
    if (indexes.length === 0) continue;
    const loaded = imports.dependents(mutation.file, imports.closure(file));
    const ms = indexes.reduce(
      (sum, index) => sum + (records[index]?.ms ?? 0),
      LOAD_MS * loaded.length,
    );
    chosen.push({ file, chosen: new Set(indexes), ms });
  }
  return chosen.sort((a, b) => a.ms - b.ms);
}

function orderOf(imports: Imports, mutation: Mutation, chosen: readonly Chosen[]) {
  const { file } = mutation;
  const text = mutated(imports.text(file), mutation);
  const closure = new Set(chosen.flatMap((each) => [...imports.closure(each.file)]));
  const dependents = new Set(imports.dependents(file, closure));
  const message: Trial = { kind: 'trial', planted: { file, text, dependents }, tests: chosen };
  const ms = chosen.reduce((sum, each) => sum + each.ms, 0);
  return { message, deadlineMs: DEADLINE_MS + DEADLINE_TIMES * ms };
}

function verdictOf({ answer, ended }: Answered<Tried>): Verdict {
  if (ended === 'overdue') return { status: 'timeout' };
  if (ended === 'broken') return { status: 'killed' };
  if (!answer) return { status: 'survived' };
  return { status: 'killed', by: { file: answer.file, title: answer.title } };
}

/** A killer is enough; a survivor may be killed by any of its tests once that has changed. */
function seenBy(
  imports: Imports,
  { by }: Verdict,
  chosen: readonly Chosen[],
): Readonly<Record<string, string>> {
  const files = by ? [by.file] : chosen.map(({ file }) => file);
  return Object.fromEntries(files.map((file) => [file, imports.digest(file)]));
}

function holds(imports: Imports, { by, seen }: StoredVerdict, chosen: readonly Chosen[]): boolean {
  const files = by ? Object.keys(seen) : chosen.map(({ file }) => file);
  return files.every((file) => seen[file] === imports.digest(file));
}

export function keyOf({ imports, version }: Surveying, mutation: Mutation): string {
  const text = mutated(imports.text(mutation.file), mutation);
  const hash = createHash('sha256').update(`${version}\0${mutation.file}\0${text}`);
  return hash.digest('base64url');
}
