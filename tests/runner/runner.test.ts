/** The runner, as a process: its exit code, its totals, and files that share a process (D208). */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runs } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

/** As `npm test` starts it. */
const RUNNER = ['--import', './infra/programs/setup/hung-files.mjs', 'tests/runner/main.ts'];
/** A runner, unlike this file, is not itself run by one. */
const { NODE_TEST_CONTEXT: _, ...env } = process.env;

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'runner-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs files given by name and text, in a folder of their own. */
function runFiles(name: string, files: Readonly<Record<string, string>>) {
  const place = join(folder, name);
  mkdirSync(place);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
  const { status, stdout } = spawnSync(process.execPath, [...RUNNER, place], {
    env,
    encoding: 'utf8',
  });
  const total = (of: string) => Number(new RegExp(`^ℹ ${of} (\\d+)`, 'm').exec(stdout)?.[1]);
  return { status, stdout, total };
}

const HOOKED = `
  const { after, before, test } = require('node:test');
  const assert = require('node:assert');
  before(() => { assert.equal(globalThis.inUse, undefined); globalThis.inUse = true; });
  after(() => { delete globalThis.inUse; });
  test('in use', () => assert.equal(globalThis.inUse, true));
`;

test('files that share a process have hooks of their own, and one total', () => {
  const { status, total, stdout } = runFiles('good', { 'a.test.ts': HOOKED, 'b.test.ts': HOOKED });
  assert.deepEqual([status, total('tests'), total('pass'), total('fail')], [0, 2, 2, 0], stdout);
});

test('a failure, or a file that cannot be loaded, ends the run with 1 and its sentence', () => {
  const failing = "require('node:test').test('it fails', () => { throw new Error('so it is'); });";
  const broken = "throw new Error('not loaded');";
  for (const [name, text, sentence] of [
    ['fails', failing, 'so it is'],
    ['broken', broken, 'not loaded'],
  ] as const) {
    const { status, stdout, total } = runFiles(name, { 'a.test.ts': HOOKED, 'b.test.ts': text });
    assert.equal(status, 1, stdout);
    assert.ok(stdout.includes(sentence), stdout);
    assert.equal(total('pass'), 1, stdout);
  }
});

test('a process that ends before its tests, or a fault outside of them, fails the run', () => {
  const ends = "require('node:test').test('it ends', () => process.exit(0));";
  const rejects = `require('node:test').test('later', () => {
    setTimeout(() => Promise.reject(new Error('stray')), 1);
    return new Promise((resolve) => setTimeout(resolve, 50));
  });`;
  const ended = runFiles('ends', { 'a.test.ts': HOOKED, 'b.test.ts': ends });
  assert.equal(ended.status, 1, ended.stdout);
  const stray = runFiles('stray', { 'a.test.ts': HOOKED, 'b.test.ts': rejects });
  assert.equal(stray.status, 1, stray.stdout);
  assert.match(stray.stdout, /in .*b\.test\.ts, outside of its tests: Error: stray/);
});

test('a signal to the runner ends the processes of its tests', async () => {
  const place = join(folder, 'long');
  mkdirSync(place);
  const text = `require('node:test').test('long', () => {
    require('node:fs').writeFileSync(${JSON.stringify(join(place, 'pid'))}, String(process.pid));
    return new Promise((resolve) => setTimeout(resolve, 60_000));
  });`;
  writeFileSync(join(place, 'a.test.ts'), text);
  const runner = spawn(process.execPath, [...RUNNER, place], { env, stdio: 'ignore' });
  const ended = once(runner, 'exit');
  const pid = await waitFor(() => pidIn(join(place, 'pid')), { what: 'the test' });
  runner.kill('SIGTERM');
  assert.deepEqual(await ended, [1, null]);
  await waitFor(() => !runs(pid), { what: 'the end of the test process' });
});

function pidIn(path: string): number | null {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text === '' ? null : Number(text);
}

test('a name without files ends the run with 1', () => {
  assert.equal(runFiles('empty', {}).status, 1);
});
