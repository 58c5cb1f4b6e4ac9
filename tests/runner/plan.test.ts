/** The plan of a run: what runs alone, what beside others, and what in one process (D208). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCode } from './changed-tests.ts';
import { planOf } from './plan.ts';

const SERVICE = "import { spawn } from 'node:child_process';";
const SMALL = new Map([
  ['tests/starts.ts', SERVICE],
  ['tests/support/stack.ts', SERVICE],
  ['tests/fixture.ts', "import { start } from './starts.ts';"],
  ['tests/a.test.ts', "import { fixture } from './fixture.ts';"],
  ['tests/b.test.ts', "import type { ChildProcess } from 'node:child_process';"],
  ['tests/c.test.ts', 'process.env.NAME = "1";'],
  ['tests/fuzz/d.test.ts', "import { startStack } from './support/stack.ts';"],
  ['tests/simulation/p.test.ts', ''],
  ['tests/chaos/e.test.ts', SERVICE],
  ['tests/f-killed.test.ts', SERVICE],
  ['tests/g.test.ts', ''],
  ['tests/h.test.ts', "import { startStack } from './support/stack.ts';"],
  ['infra/programs/chromium/chromium.ts', SERVICE],
  ['tests/pages.ts', "import { openBrowser } from '../infra/programs/chromium/chromium.ts';"],
  ['tests/j.test.ts', "import { openPages } from './pages.ts';"],
  ['tests/k.test.ts', "import { openPages } from './pages.ts';"],
  ['tests/i-killed.test.ts', "import { startStack } from './support/stack.ts';"],
  ['tests/l.test.ts', SERVICE],
  ['tests/m.test.ts', "import { fixture } from './fixture.ts';\nimport './support/stack.ts';"],
  ['tests/n.test.ts', "import { Worker } from 'node:worker_threads';"],
  ['tests/o.test.ts', 'const { heapUsed } = process.memoryUsage();'],
]);
const FILES = [...SMALL.keys()].filter((path) => path.endsWith('.test.ts'));

test('straining files are apart, so are those that compute, and what can shares a process', () => {
  assert.deepEqual(planOf(FILES, SMALL), {
    straining: [['tests/chaos/e.test.ts', 'tests/f-killed.test.ts', 'tests/i-killed.test.ts']],
    computing: [['tests/simulation/p.test.ts']],
    others: [
      ['tests/fuzz/d.test.ts'],
      ['tests/h.test.ts', 'tests/m.test.ts'],
      ['tests/j.test.ts', 'tests/k.test.ts'],
      ['tests/a.test.ts', 'tests/l.test.ts'],
      ['tests/c.test.ts'],
      ['tests/n.test.ts'],
      ['tests/o.test.ts'],
    ],
    small: [['tests/b.test.ts', 'tests/g.test.ts']],
  });
});

test('every file of tests is run once', () => {
  const texts = readCode();
  const files = [...texts.keys()].filter((path) => path.endsWith('.test.ts')).sort();
  const { straining, computing, others, small } = planOf(files, texts);
  assert.deepEqual([...straining, ...computing, ...others, ...small].flat().sort(), files);
  assert.ok(straining.flat().length > 10, 'some strain');
  assert.ok(
    small.some((step) => step.length > 50),
    'many share a process',
  );
});
