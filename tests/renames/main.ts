/**
 * `npm run renames -- [FROM [TO]]`: whether the commits from FROM (the one before TO) to TO (HEAD)
 * change names alone. The messages of the commits declare literals that change, a line each:
 * `Literal: before ⇒ after`. Exits with 1 and lists every other difference.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../tidy/source.ts';
import { differences } from './compare.ts';
import { openRevision, type Revision } from './revision.ts';

const CODE = /\.(ts|mjs)$/;
const LITERAL = /^Literal: (.*) ⇒ (.*)$/gm;
const OUTPUT_MAX_BYTES = 2 ** 28;

function git(...args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, maxBuffer: OUTPUT_MAX_BYTES });
}

/** A revision's files in a folder of their own. */
function checkedOut(folder: string, revision: string): Revision {
  mkdirSync(folder);
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', revision) });
  return openRevision(folder);
}

interface Change {
  readonly kind: string;
  readonly paths: readonly string[];
}

function changes(from: string, to: string): readonly Change[] {
  const lines = git('diff', '--name-status', '--find-renames=20%', '-l0', from, to).toString();
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [kind = '', ...paths] = line.split('\t');
      return { kind, paths };
    })
    .filter(({ paths }) => paths.some((path) => CODE.test(path)));
}

const [to = 'HEAD', from = `${to}^`] = process.argv.slice(2).reverse();
const changed = changes(from, to);
const unpaired = changed.filter(({ kind }) => kind === 'A' || kind === 'D');
const renamed = new Map(
  changed
    .filter((change) => !unpaired.includes(change))
    .map(({ paths }) => [paths[0] ?? '', paths.at(-1) ?? '']),
);
const messages = git('log', '--format=%B', `${from}..${to}`).toString();
const literals = new Map(
  [...messages.matchAll(LITERAL)].map(([, before = '', after = '']) => [before, after]),
);
const folder = mkdtempSync(join(tmpdir(), 'recado-renames-'));
try {
  using before = checkedOut(join(folder, 'before'), from);
  using after = checkedOut(join(folder, 'after'), to);
  const told = differences({ before, after, files: renamed, literals });
  const all = [...unpaired.map(({ kind, paths }) => `${kind} ${paths.join(' ')}`), ...told];
  for (const line of all) console.log(line);
  console.log(`${changed.length} files from ${from} to ${to}: ${all.length} differences`);
  process.exitCode = all.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
