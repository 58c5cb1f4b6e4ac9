/**
 * The tests that a change can have touched, for `npm test -- --changed`. A file depends on the
 * files that it imports. It also depends on files whose paths stand in its literals: programs that
 * it starts, pages that it reads. A reader of a folder beside it depends on every file of it, and a
 * reader of the whole tree on everything.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const CODE = /\.(tsx?|mjs)$/;
const TEST = /\.test\.ts$/;
const FOLDERS = ['actors', 'gateway', 'infra', 'shared', 'tests'];
/** A change of these can touch everything. */
const EVERYTHING =
  /^(package(-lock)?\.json|tsconfig\.json|Procfile|\.ci\/.*|(infra\/programs\/setup|tests\/runner)\/.*)$/;
/** Reads every file of the project. */
const READS_ALL = /(?<!function )\b(readTexts|readCode)\(/;
const LITERAL = /(['"`])([^'"`\n$]*?)\1/g;
/** A folder beside the file, whose files it reads. */
const FOLDER_READ = /import\.meta\.dirname, '([a-z][\w/-]*)'/g;
const IMPORT = /\b(?:from|import) (')([^']+)'/g;

type Texts = ReadonlyMap<string, string>;

/**
 * Files that differ from a revision, and files that Git does not know yet.
 * @returns paths from the root
 */
export function changedSince(base: string): readonly string[] {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const lines = `${git('diff', '--name-only', base)}${git('ls-files', '--others', '--exclude-standard')}`;
  return lines.split('\n').filter((line) => line !== '');
}

/**
 * @param changed paths from the root
 * @param texts of all files of code, by path
 * @returns the test files to run, in order
 */
export function testsTouchedBy(changed: readonly string[], texts: Texts): string[] {
  const tests = [...texts.keys()].filter((path) => TEST.test(path)).sort();
  if (changed.some((path) => EVERYTHING.test(path))) return tests;
  if (changed.length === 0) return [];
  const readers = [...texts].flatMap(([path, text]) => (READS_ALL.test(text) ? [path] : []));
  const paths = [...changed, ...readers];
  const touched = reached(paths, directDependents(texts, paths, LITERAL));
  return tests.filter((path) => touched.has(path));
}

type Dependents = ReadonlyMap<string, readonly string[]>;

/** The files that import one of the asked ones, over others too; the texts are read once. */
export function importersIn(texts: Texts): (paths: readonly string[]) => ReadonlySet<string> {
  const importers = directDependents(texts, [], IMPORT);
  return (paths) => reached(paths, importers);
}

/** The paths themselves, and the files that depend on one of them, over others too. */
function reached(paths: readonly string[], dependents: Dependents): ReadonlySet<string> {
  const queue = [...paths];
  const found = new Set(queue);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    for (const dependent of dependents.get(path) ?? []) {
      if (found.has(dependent)) continue;
      found.add(dependent);
      queue.push(dependent);
    }
  }
  return found;
}

/** For each file those that depend on it. */
function directDependents(texts: Texts, changed: readonly string[], reference: RegExp): Dependents {
  const known = new Set([...texts.keys(), ...changed]);
  const dependents = new Map<string, string[]>();
  for (const [path, text] of texts) {
    const literals = [...text.matchAll(reference)].map(([, , literal = '']) => literal);
    const targets = new Set([
      ...dependenciesOf(path, literals, known),
      ...filesReadBy(path, text, known),
    ]);
    for (const target of targets) {
      const others = dependents.get(target);
      if (others === undefined) dependents.set(target, [path]);
      else others.push(path);
    }
  }
  return dependents;
}

function dependenciesOf(
  path: string,
  literals: readonly string[],
  known: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const literal of literals) {
    const fromHere = normalize(join(dirname(path), literal));
    for (const target of [fromHere, literal, ...inProcfile(literal)]) {
      // The product does not depend on tests: their paths stand in its comments alone.
      const isNamed = target.startsWith('tests/') && !path.startsWith('tests/');
      if (known.has(target) && !isNamed) found.add(target);
    }
  }
  return found;
}

/** The pages' bundler reads `browser/`, whose files no code of the server names. */
function filesReadBy(path: string, text: string, known: ReadonlySet<string>): readonly string[] {
  const folders = [...text.matchAll(FOLDER_READ)].map(([, name = '']) => join(dirname(path), name));
  return folders.flatMap((folder) => [...known].filter((each) => each.startsWith(`${folder}/`)));
}

/** The supervisor starts what the Procfile names. */
function inProcfile(literal: string): readonly string[] {
  if (literal !== 'Procfile' || !existsSync(join(ROOT, literal))) return [];
  return readFileSync(join(ROOT, literal), 'utf8').match(/\S+\.ts$/gm) ?? [];
}

/** The texts of all files of code, by path from the root. */
export function readCode(): Texts {
  const list = (folder: string) =>
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
