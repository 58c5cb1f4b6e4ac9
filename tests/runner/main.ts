/**
 * Runner of the tests, for `npm test`: `node tests/runner/main.ts [FILE or FOLDER...]`, or
 * `--changed [REVISION]`. It ends with 1 if a test fails, or if a named file does not exist.
 */
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { bundles } from '../support/bundled.ts';
import { globalSetup, globalTeardown } from '../support/services-of-run.ts';
import { changedSince, readCode, testsTouchedBy } from './changed-tests.ts';
import { planOf, type Step } from './plan.ts';
import { Report } from './report.ts';
import { EACH_AT_ONCE, EACH_WITH_ROOM, waitForRoom } from './room.ts';

const TOGETHER = join(import.meta.dirname, 'together.ts');
const BACKGROUND = ['--import', join(import.meta.dirname, 'background.ts')];
/** More processes than there are cores. */
const MORE = 1;

/** After a signal nothing more is started, and the processes of tests end. */
const stopping = new AbortController();
const STOP_MS = 10_000;
const texts = readCode();

/** Paths from the root, in order. */
function filesOf(words: readonly string[]): readonly string[] {
  const [first, revision = 'HEAD', ...rest] = words;
  if (first === '--changed' && rest.length > 0) throw new Error('--changed takes one revision');
  if (first === '--changed') return touchedSince(revision);
  const named = words.length > 0 ? words : ['tests'];
  const files = named.flatMap((path) =>
    statSync(path).isDirectory() ? globSync(join(path, '**/*.test.ts')) : path,
  );
  if (files.length === 0) throw new Error(`no file of tests in ${named.join(', ')}`);
  return [...new Set(files.map((path) => relative('', resolve(path))))].sort();
}

function touchedSince(revision: string): readonly string[] {
  const changed = changedSince(revision);
  const touched = testsTouchedBy(changed, texts);
  console.error(`${changed.length} changed files can touch ${touched.length} test files`);
  return touched;
}

type Queue = Iterable<Step>;

/** A file alone is a process of its own; several share one. */
async function runStep(step: Step, queue: Queue): Promise<void> {
  const [first, ...rest] = step;
  const alone = first !== undefined && rest.length === 0;
  const { signal } = stopping;
  const waits = queue === others;
  if (alone && waits) await waitForRoom();
  const execArgv = queue === computing ? BACKGROUND : [];
  const argv = [waits ? EACH_WITH_ROOM : EACH_AT_ONCE, ...step];
  await report.add(
    alone
      ? run({ files: [resolve(first)], execArgv, signal })
      : run({ files: [TOGETHER], argv, execArgv, signal }),
  );
}

/** The steps of each queue in turn; others take from the same queues meanwhile. */
async function runAll(...queues: readonly Queue[]): Promise<void> {
  for (const queue of queues) {
    for (const step of queue) {
      if (stopping.signal.aborted) return;
      await runStep(step, queue);
      if (queue === straining || queue === others) endStepOfServices();
    }
  }
}

let servicesEnd: Promise<void> | null = null;

function endServices(): Promise<void> {
  servicesEnd ??= globalTeardown();
  return servicesEnd;
}

/** At rest the services that are left take a twentieth of a core, and gigabytes. */
function endStepOfServices(): void {
  stepsOfServices -= 1;
  // A fault is told at the end of the run.
  if (stepsOfServices === 0) endServices().catch(() => undefined);
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    stopping.abort();
    setTimeout(() => process.exit(1), STOP_MS).unref();
  });
}

const plan = planOf(filesOf(process.argv.slice(2)), texts);
const [straining, computing] = [plan.straining.values(), plan.computing.values()];
const [others, small] = [plan.others.values(), plan.small.values()];
/** Steps that may use services and have not ended. */
let stepsOfServices = plan.straining.length + plan.others.length;
const report = new Report(process.stdout);
// One build for all files, where the sources have changed.
if (plan.others.length > 0) await bundles();
await globalSetup();
try {
  // Most processes wait for time to pass, and those that work wait for room.
  const places = Array.from({ length: availableParallelism() + MORE }, () => runAll(others, small));
  const first = [runAll(straining, others, small), runAll(computing, others, small)];
  await Promise.all([...first, ...places]);
} finally {
  await endServices();
}
const isGood = await report.end();
if (!isGood || stopping.signal.aborted) process.exitCode = 1;
