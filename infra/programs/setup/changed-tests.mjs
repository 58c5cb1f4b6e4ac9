// The tests that a change can have touched, for `npm test -- --changed`. A file depends on the
// files that it imports. It also depends on files whose paths stand in its literals: programs that
// it starts, pages that it reads. A reader of the whole tree depends on everything.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { ROOT } from './environment.mjs';

const CODE = /\.(ts|mjs)$/;
const TEST = /\.test\.ts$/;
const FOLDERS = ['actors', 'gateway', 'infra', 'shared', 'tests'];
/** A change of these can touch everything. */
const EVERYTHING =
  /^(package(-lock)?\.json|tsconfig\.json|Procfile|\.ci\/.*|infra\/programs\/setup\/.*)$/;
/** Reads every file of the project. */
const READS_ALL = /(?<!function )\b(readTexts|readCode)\(/;
const LITERAL = /(['"`])([^'"`\n$]*?)\1/g;

/**
 * Files that differ from a revision, and files that Git does not know yet.
 * @param {string} base
 * @returns {string[]} paths from the root
 */
export function changedSince(base) {
  const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const lines = `${git('diff', '--name-only', base)}${git('ls-files', '--others', '--exclude-standard')}`;
  return lines.split('\n').filter((line) => line !== '');
}

/**
 * @param {readonly string[]} changed paths from the root
 * @param {ReadonlyMap<string, string>} texts of all files of code, by path
 * @returns {string[]} the test files to run, in order
 */
export function testsTouchedBy(changed, texts) {
  const tests = [...texts.keys()].filter((path) => TEST.test(path)).sort();
  if (changed.some((path) => EVERYTHING.test(path))) return tests;
  if (changed.length === 0) return [];
  const dependents = dependentsOf(texts, changed);
  const readers = [...texts].flatMap(([path, text]) => (READS_ALL.test(text) ? [path] : []));
  const queue = [...changed, ...readers];
  const touched = new Set(queue);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    for (const dependent of dependents.get(path) ?? []) {
      if (touched.has(dependent)) continue;
      touched.add(dependent);
      queue.push(dependent);
    }
  }
  return tests.filter((path) => touched.has(path));
}

/** For each file those that depend on it. */
function dependentsOf(texts, changed) {
  const known = new Set([...texts.keys(), ...changed]);
  const dependents = new Map();
  for (const [path, text] of texts) {
    for (const target of dependenciesOf(path, text, known)) {
      const others = dependents.get(target);
      if (others === undefined) dependents.set(target, [path]);
      else others.push(path);
    }
  }
  return dependents;
}

function dependenciesOf(path, text, known) {
  const found = new Set();
  for (const [, , literal] of text.matchAll(LITERAL)) {
    const fromHere = normalize(join(dirname(path), literal));
    for (const target of [fromHere, literal, ...inProcfile(literal)]) {
      // The product does not depend on tests: their paths stand in its comments alone.
      const isNamed = target.startsWith('tests/') && !path.startsWith('tests/');
      if (known.has(target) && !isNamed) found.add(target);
    }
  }
  return found;
}

/** The supervisor starts what the Procfile names. */
function inProcfile(literal) {
  if (literal !== 'Procfile' || !existsSync(join(ROOT, literal))) return [];
  return readFileSync(join(ROOT, literal), 'utf8').match(/\S+\.ts$/gm) ?? [];
}

/** @returns {Map<string, string>} the texts of all files of code, by path from the root */
export function readCode() {
  const list = (folder) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && CODE.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('node_modules'));
  return new Map(
    FOLDERS.flatMap((folder) => list(join(ROOT, folder))).map((path) => [
      relative(ROOT, path),
      readFileSync(path, 'utf8'),
    ]),
  );
}
