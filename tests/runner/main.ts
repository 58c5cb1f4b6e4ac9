/**
 * Runner of the tests, for `npm test`: `node tests/runner/main.ts [FILE or FOLDER...]`, or
 * `--changed [REVISION]`. It ends with 1 if a test fails, or if a named file does not exist.
 */
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, normalize, resolve } from 'node:path';
import { run, type TestsStream } from 'node:test';
import { globalSetup, globalTeardown } from '../support/shared-stack.ts';
import { changedSince, readCode, testsTouchedBy } from './changed-tests.ts';
import { planOf, type Step } from './plan.ts';
import { Report } from './report.ts';

const TOGETHER = join(import.meta.dirname, 'together.ts');

const texts = readCode();

/** Paths from the root, in order. */
function filesOf(words: readonly string[]): readonly string[] {
  const [first, revision = 'HEAD'] = words;
  if (first === '--changed') return touchedSince(revision);
  const named = words.length > 0 ? words : ['tests'];
  const files = named.flatMap((path) =>
    statSync(path).isDirectory() ? globSync(join(path, '**/*.test.ts')) : normalize(path),
  );
  if (files.length === 0) throw new Error(`no file of tests in ${named.join(', ')}`);
  return [...new Set(files)].sort();
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
  return alone ? run({ files: [resolve(first)] }) : run({ files: [TOGETHER], argv: step });
}

async function runAll(steps: Iterable<Step>): Promise<void> {
  for (const step of steps) await report.add(start(step));
}

const { straining, others } = planOf(filesOf(process.argv.slice(2)), texts);
const report = new Report(process.stdout);
await globalSetup();
try {
  // Two more processes than there are cores, since many tests wait for time to pass.
  const left = others.values();
  const places = Array.from({ length: availableParallelism() + 1 }, () => runAll(left));
  await Promise.all([runAll(straining).then(() => runAll(left)), ...places]);
} finally {
  await globalTeardown();
}
if (!(await report.end())) process.exitCode = 1;
