/**
 * Runner of the tests, for `npm test`: `node tests/runner/main.ts [FILE or FOLDER...]`, or
 * `--changed [REVISION]`. It ends with 1 if a test fails, or if a named file does not exist.
 */
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run, type TestsStream } from 'node:test';
import { bundles } from '../support/bundled.ts';
import { globalSetup, globalTeardown } from '../support/services-of-run.ts';
import { changedSince, readCode, testsTouchedBy } from './changed-tests.ts';
import { planOf, type Step } from './plan.ts';
import { Report } from './report.ts';

const TOGETHER = join(import.meta.dirname, 'together.ts');

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

function start(step: Step): TestsStream {
  const [first, ...rest] = step;
  const alone = first !== undefined && rest.length === 0;
  const { signal } = stopping;
  return alone
    ? run({ files: [resolve(first)], signal })
    : run({ files: [TOGETHER], argv: step, signal });
}

/** The steps of each queue in turn; others take from the same queues meanwhile. */
async function runAll(...queues: readonly Iterable<Step>[]): Promise<void> {
  for (const queue of queues) {
    for (const step of queue) {
      if (stopping.signal.aborted) return;
      await report.add(start(step));
    }
  }
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    stopping.abort();
    setTimeout(() => process.exit(1), STOP_MS).unref();
  });
}

const plan = planOf(filesOf(process.argv.slice(2)), texts);
const report = new Report(process.stdout);
// One build for all files, where the sources have changed.
if (plan.others.length > 0) await bundles();
await globalSetup();
try {
  // Two more processes than there are cores, since many tests wait for time to pass.
  const computing = plan.computing.values();
  const others = plan.others.values();
  const places = Array.from({ length: availableParallelism() }, () => runAll(others, computing));
  const first = [runAll(plan.straining, others, computing), runAll(computing, others)];
  await Promise.all([...first, ...places]);
} finally {
  await globalTeardown();
}
const isGood = await report.end();
if (!isGood || stopping.signal.aborted) process.exitCode = 1;
