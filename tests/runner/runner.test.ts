/** The runner, as a process: its exit code, its totals, and files that share a process (D208). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

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
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['tests/runner/main.ts', place], {
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

test('a name without files ends the run with 1', () => {
  assert.equal(runFiles('empty', {}).status, 1);
});
