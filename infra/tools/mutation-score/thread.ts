/** A thread that runs tests: all of a file to see what they run, or some of them on a mutation. */
import { parentPort } from 'node:worker_threads';
import fc from 'fast-check';
import { Coverage } from './coverage.ts';
import { load, type Planted, plant, watchLoads } from './loading.ts';
import { collect, firstFailure } from './registered.ts';

/** Runs every test of the file, each alone. */
export interface Survey {
  readonly kind: 'survey';
  readonly test: string;
  readonly dependents: ReadonlySet<string>;
  /** Files whose coverage is of interest, and their lengths. */
  readonly targets: ReadonlyMap<string, number>;
}

export interface Surveyed {
  readonly title: string;
  readonly ms: number;
  /** Processor time: a slow machine leaves no test out. */
  readonly cpuMs: number;
  readonly failed: string | null;
  /** Target files to the bytes that say which characters were run. */
  readonly ran: ReadonlyMap<string, Uint8Array>;
}

/** Runs the chosen tests on a mutation until one fails. */
export interface Trial {
  readonly kind: 'trial';
  readonly planted: Planted;
  readonly tests: readonly { readonly file: string; readonly chosen: ReadonlySet<number> }[];
}

export type Tried = {
  readonly file: string;
  readonly title: string;
  readonly error: string;
} | null;

watchLoads();
// The same cases in each run, and no search for a smaller one.
fc.configureGlobal({ seed: 20_240_229, endOnFailure: true });
const coverage = new Coverage();
let covering: Promise<void> | null = null;

async function survey({ test, dependents, targets }: Survey): Promise<readonly Surveyed[]> {
  covering ??= coverage.start();
  await covering;
  const ofUrl = (url: string) => {
    const file = [...targets.keys()].find((each) => url.split('?')[0]?.endsWith(`/${each}`));
    return file === undefined ? null : { file, length: targets.get(file) ?? 0 };
  };
  const surveyed: Surveyed[] = [];
  for (let index = 0; ; index++) {
    plant({ file: '', text: '', dependents });
    await coverage.take(ofUrl);
    const tests = await collect(() => load(test));
    const registered = tests[index];
    if (!registered) return surveyed;
    const startedAt = performance.now();
    const before = process.threadCpuUsage();
    const failure = await firstFailure(tests, new Set([index]));
    const ms = performance.now() - startedAt;
    const { user, system } = process.threadCpuUsage(before);
    const cpuMs = (user + system) / 1_000;
    const ran = await coverage.take(ofUrl);
    const failed = failure && describe(failure.error);
    surveyed.push({ title: registered.title, ms, cpuMs, failed, ran });
  }
}

async function attempt({ planted, tests }: Trial): Promise<Tried> {
  plant(planted);
  for (const { file, chosen } of tests) {
    try {
      const collected = await collect(() => load(file));
      const failure = await firstFailure(collected, chosen);
      if (failure) return { file, title: failure.title, error: describe(failure.error) };
    } catch (error) {
      return { file, title: 'load', error: describe(error) };
    }
  }
  return null;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

parentPort?.on('message', async (order: Survey | Trial) => {
  parentPort?.postMessage(order.kind === 'survey' ? await survey(order) : await attempt(order));
});
