/** Runs many seeds on all cores, or on one: the failures, the coverage, and the rate. */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Coverage, gaps, slowFaults } from './coverage.ts';
import type { SeedReport } from './seed-report.ts';
import { isSlow } from './world/slow-time.ts';

export interface Batch {
  readonly failures: readonly string[];
  readonly report: readonly string[];
  readonly coverage: Coverage;
}

/** Fewer worlds than this say nothing about coverage. */
const COVERAGE_FROM_SEEDS = 200;
const WORKERS_MAX = 4;

export interface BatchOptions {
  readonly from: number;
  readonly count: number;
  /** Ends with the first world in which an invariant is broken. */
  readonly untilBroken?: boolean;
  /** Of these seeds only those whose worlds are slow. */
  readonly slowOnly?: boolean;
  /** Threads, at most. */
  readonly workers?: number;
}

export async function runBatch(options: BatchOptions): Promise<Batch> {
  const { from, untilBroken = false, slowOnly = false, workers = WORKERS_MAX } = options;
  const all = Array.from({ length: options.count }, (_, at) => from + at);
  const seeds = slowOnly ? all.filter(isSlow) : all;
  const count = seeds.length;
  const startedAt = performance.now();
  const reports = await inWorkers(seeds, untilBroken, workers);
  const seconds = (performance.now() - startedAt) / 1_000;
  const coverage = new Coverage();
  for (const each of reports) {
    coverage.add(each.coverage);
    if (isSlow(each.seed)) coverage.add(slowFaults(each.coverage));
  }
  const failures = reports.flatMap(({ seed, violations, replayed }) => [
    ...violations.map((wrong) => `seed ${seed}: ${wrong}`),
    ...(replayed ? [] : [`seed ${seed}: did not replay identically`]),
  ]);
  const cutShort = untilBroken && failures.length > 0;
  if (reports.length !== count && !cutShort)
    failures.push(`${reports.length} of ${count} seeds were run`);
  if (count >= COVERAGE_FROM_SEEDS && !cutShort && !slowOnly) {
    failures.push(...gaps(coverage, count).map((gap) => `covered too little: ${gap}`));
  }
  const sum = (of: (each: SeedReport) => number): number =>
    reports.reduce((total, each) => total + of(each), 0);
  const report = [
    ...[...coverage.counts].sort().map(([what, times]) => `${String(times).padStart(8)}  ${what}`),
    `${count} seeds, ${sum(({ calls }) => calls)} calls, ${sum(({ events }) => events)} events, ` +
      `${Math.round(sum(({ virtualMs }) => virtualMs) / 3_600_000)} h of virtual time ` +
      `in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(0)} seeds/s)`,
    `digest of ${reports.length} worlds: ${digestOf(reports)}`,
    ...failures.slice(0, 40),
    `seeds from ${from}: ${failures.length} violations in ${reports.length} worlds`,
  ];
  return { failures, report, coverage };
}

/** The same for the same events in every world, in whichever order the worlds were run. */
function digestOf(reports: readonly SeedReport[]): string {
  const bySeed = reports.toSorted((a, b) => a.seed - b.seed).map(({ digest }) => digest);
  return createHash('sha256').update(bySeed.join()).digest('hex').slice(0, 16);
}

async function inWorkers(seeds: readonly number[], untilBroken: boolean, most: number) {
  const workers = Math.min(most, availableParallelism(), seeds.length);
  if (workers <= 1) return inThisThread(seeds, untilBroken);
  const shares = Array.from({ length: workers }, (_, share) =>
    seeds.filter((_seed, at) => at % workers === share),
  );
  const stop = new AbortController();
  const onReport = ({ violations }: SeedReport): void => {
    if (untilBroken && violations.length > 0) stop.abort();
  };
  const reports = await Promise.all(shares.map((share) => inWorker(share, onReport, stop.signal)));
  return reports.flat().sort((left, right) => left.seed - right.seed);
}

/** Without a worker the worlds' modules are loaded once, and by the only thread. */
async function inThisThread(seeds: readonly number[], untilBroken: boolean) {
  const { reportOf } = await import('./seed-report.ts');
  const reports: SeedReport[] = [];
  for (const seed of seeds) {
    const report = await reportOf(seed);
    reports.push(report);
    if (untilBroken && report.violations.length > 0) break;
  }
  return reports;
}

function inWorker(
  seeds: readonly number[],
  onReport: (report: SeedReport) => void,
  signal: AbortSignal,
): Promise<SeedReport[]> {
  const { promise, resolve, reject } = Promise.withResolvers<SeedReport[]>();
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: seeds });
  const reports: SeedReport[] = [];
  worker.on('message', (report: SeedReport) => {
    reports.push(report);
    onReport(report);
  });
  signal.addEventListener('abort', () => void worker.terminate());
  worker.on('error', reject);
  worker.on('exit', () => resolve(reports));
  return promise;
}
