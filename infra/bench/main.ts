/**
 * Benchmark of the real parts, suite by suite: `npm run bench [-- NAME…] [--rounds N] [--seconds S]
 * [--connections 1,64,…] [--people N]`. With `--chart FILE` it draws the charts of a run's JSON.
 * `[NAME…] --against FOLDER` compares this checkout with another one, which has its packages
 * installed.
 * With `--model FILE` it computes from a run of scale-out which part saturates at which size.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LOADS } from './against/sides.ts';
import { drawCharts } from './chart.ts';
import { ChildProcesses } from './child-processes.ts';
import { printReport, reportOf, writeReport } from './report.ts';
import { sizingOf } from './scaling/sizing.ts';
import type { Options, Suite } from './suite.ts';
import { against } from './suites/against.ts';
import { SUITES } from './suites.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string' },
    people: { type: 'string', default: '1000000' },
    'no-peer': { type: 'boolean', default: false },
    against: { type: 'string' },
    chart: { type: 'string' },
    model: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${name} takes a positive number, not ${text}`);
}

function optionsOf(): Options {
  const { rounds, seconds, connections, people } = values;
  return {
    rounds: positive('rounds', rounds),
    seconds: positive('seconds', seconds),
    people: positive('people', people),
    peer: !values['no-peer'],
    against: values.against === undefined ? null : resolve(values.against),
    loads: positionals,
    connections: connections?.split(',').map((each) => positive('connections', each)) ?? null,
  };
}

function chosen(): readonly Suite[] {
  const isAgainst = values.against !== undefined;
  const names: readonly string[] = isAgainst ? LOADS : SUITES.map(({ name }) => name);
  const unknown = positionals.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`no suite ${unknown}; see --help`);
  if (isAgainst) return [against];
  return positionals.length === 0
    ? SUITES
    : SUITES.filter(({ name }) => positionals.includes(name));
}

async function measure(suite: Suite, options: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'recado-bench-'));
  const children = new ChildProcesses();
  const stopEarly = () => void children.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopEarly).once('SIGTERM', stopEarly);
  const logProgress = (sentence: string) =>
    void process.stderr.write(`${suite.name}: ${sentence}\n`);
  try {
    const result = await suite.run({ options, folder, children, logProgress });
    printReport(result);
    const path = writeReport(reportOf({ suite: suite.name, options, result }));
    process.stdout.write(`\n${path}\n`);
  } finally {
    await children.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.off('SIGINT', stopEarly).off('SIGTERM', stopEarly);
  }
}

async function main(): Promise<void> {
  if (values.help) {
    for (const { name, about } of [...SUITES, against])
      process.stdout.write(`${name.padEnd(12)} ${about}\n`);
  } else if (values.chart !== undefined) {
    for (const path of drawCharts(values.chart)) process.stdout.write(`${path}\n`);
  } else if (values.model !== undefined) {
    printReport(sizingOf(values.model));
  } else {
    const options = optionsOf();
    for (const suite of chosen()) await measure(suite, options);
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
