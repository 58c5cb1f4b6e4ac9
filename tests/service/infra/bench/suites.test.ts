/** Short suites of the benchmark run to their end with the least of everything. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../../../..');
const LEAST = ['--rounds', '1', '--seconds', '0.2', '--connections', '2', '--no-peer'];

/** None of these suites opens a page. */
const LEAST_PROCESSES = { FORMATION: 'panel=0' };

interface Report {
  readonly suite: string;
  readonly tables: readonly {
    readonly columns: readonly unknown[];
    readonly rows: readonly (readonly (number | string | null)[])[];
  }[];
}

async function run(suite: string): Promise<Report> {
  const args = ['infra/tools/launch/bench.mjs', suite, ...LEAST];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...LEAST_PROCESSES },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, said] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(child.exitCode, 0, said);
  const path = resolve(ROOT, printed.trim().split('\n').at(-1) ?? '');
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } finally {
    rmSync(path);
  }
}

for (const suite of [
  'accept',
  'end-to-end',
  'burst',
  'peers',
  'deliveries',
  'inbound',
  'hand-over',
  'asks',
]) {
  test(`${suite} runs and leaves whole tables`, async () => {
    const report = await run(suite);
    assert.equal(report.suite, suite);
    assert.ok(report.tables.length > 0);
    for (const { columns, rows } of report.tables) {
      assert.ok(rows.length > 0);
      for (const row of rows) assert.equal(row.length, columns.length);
    }
  });
}
