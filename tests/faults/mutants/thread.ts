/** A thread that hunts one mutant after another: it loads once what they have in common. */
import { setImmediate } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import fc from 'fast-check';
import {
  load,
  type Planted,
  plant,
  watchLoads,
} from '../../../infra/tools/mutation-score/loading.ts';
import { collect, firstFailure } from '../../../infra/tools/mutation-score/registered.ts';
import type { BatchOptions } from '../simulation/batch.ts';

export interface Hunt {
  readonly planted: Planted;
  /** Has the tests that have to notice the mutant, or runs the worlds. */
  readonly file: string;
  readonly worlds: BatchOptions | null;
}

/** As a process tells it that runs the same, and its exit code. */
export interface Told {
  readonly code: number | null;
  readonly told: string;
}

interface Outcome extends Told {
  /** Of all that was run only what has failed. */
  readonly repeat: () => Promise<Told>;
}

const NOTHING: Planted = { file: '', text: '', dependents: new Set() };
const FAILS_ANYHOW = 2;
/** Files that fail for a mutant alone. */
const sound = new Set<string>();

watchLoads();
// A counterexample is enough: the search for a smaller one takes most of the time.
fc.configureGlobal({ endOnFailure: true });

async function runWorlds(file: string, options: BatchOptions): Promise<Outcome> {
  const { runBatch } = (await load(file)) as typeof import('../simulation/batch.ts');
  const { failures, report } = await runBatch(options);
  const told = report.join('\n');
  const from = Number(/^seed (\d+):/m.exec(told)?.[1] ?? options.from);
  const repeat = () => runWorlds(file, { ...options, from, count: 1 });
  return { code: failures.length === 0 ? 0 : 1, told, repeat };
}

async function runTests(file: string, title?: string): Promise<Outcome> {
  const tests = await collect(() => load(file));
  const all = [...tests.keys()];
  const named = all.filter((index) => tests[index]?.title === title);
  // The title of a hook is no test's.
  const failure = await firstFailure(tests, new Set(named.length > 0 ? named : all));
  const repeat = () => runTests(file, failure?.title);
  if (!failure) return { code: 0, told: `${tests.length} tests pass`, repeat };
  return { code: 1, told: `not ok ${failure.title}\n${failure.error}`, repeat };
}

async function hunt({ planted, file, worlds }: Hunt): Promise<Told> {
  plant(planted);
  const { code, told, repeat } = await (worlds ? runWorlds(file, worlds) : runTests(file));
  if (code === 0 || sound.has(file)) return { code, told };
  // A thread is not what `npm test` runs the file in: the failure could be the thread's own.
  plant(NOTHING);
  const without = await repeat();
  if (without.code !== 0) return { code: FAILS_ANYHOW, told: `without it too: ${without.told}` };
  sound.add(file);
  return { code, told };
}

parentPort?.on('message', async (order: Hunt) => {
  const told = await hunt(order);
  // A rejection that nobody handles breaks the thread first: it is this mutant's.
  await setImmediate();
  parentPort?.postMessage(told);
});
