/** Report of a run: tables on the terminal and one JSON file for the charts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './child-processes.ts';
import type { Cell, Column, Options, Result, Table } from './suite.ts';

export interface Report extends Result {
  readonly suite: string;
  readonly at: string;
  readonly machine: { readonly cores: number; readonly cpu: string; readonly node: string };
  readonly options: Options;
}

export interface Ran {
  readonly suite: string;
  readonly options: Options;
  readonly result: Result;
}

/** Cores are those that this process may use, not those of the machine. */
export function reportOf({ suite, options, result }: Ran): Report {
  const cpu = cpus()[0]?.model ?? 'unknown';
  const machine = { cores: availableParallelism(), cpu, node: process.version };
  return { suite, at: new Date().toISOString(), machine, options, ...result };
}

function headOf({ name, unit }: Column): string {
  return unit === '' ? name : `${name} ${unit}`;
}

function shown(cell: Cell): string {
  if (cell === null || Number.isNaN(cell)) return '–';
  return typeof cell === 'number' ? cell.toLocaleString('en-US') : cell;
}

/** As Markdown, so that documents can quote the terminal's output. */
function formatTable({ title, columns, rows }: Table): string {
  const lines = [columns.map(headOf), ...rows.map((row) => row.map(shown))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const [head = '', ...body] = lines.map(
    (line) => `| ${line.map((cell, at) => cell.padStart(widths[at] ?? 0)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => `${'-'.repeat(width + 1)}:`).join('|')}|`;
  return `${title}\n\n${[head, rule, ...body].join('\n')}\n`;
}

export function printReport({ tables, notes }: Result): void {
  for (const table of tables) process.stdout.write(`\n${formatTable(table)}`);
  process.stdout.write(`\n${notes.map((note) => `- ${note}\n`).join('')}`);
}

/** The file's path from the repository's root. */
export function writeReport(report: Report): string {
  const folder = join('data', 'bench');
  const path = join(folder, `${report.suite}-${report.at.replaceAll(':', '-')}.json`);
  mkdirSync(join(ROOT, folder), { recursive: true });
  writeFileSync(join(ROOT, path), `${JSON.stringify(report, null, 1)}\n`);
  return path;
}
