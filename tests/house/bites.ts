/** Proves of a rule that it finds every fault, accepts correct code, and reads every module. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  parse,
  ROOT,
  type Rule,
  report,
  type Source,
  type TextFile,
} from '../../infra/tools/source.ts';

const FOLDERS = ['shared', 'gateway', 'actors', 'infra'];
const MODULE = new RegExp(`^(${FOLDERS.join('|')})/.*\\.(tsx?|mjs)$`);
/** Far fewer than there are: a rule that reads less looks in the wrong place. */
const MODULES_MIN = 800;

/** Path and text. */
type Sample = readonly [path: string, text: string];

export interface Samples {
  readonly bad: readonly Sample[];
  readonly good: readonly Sample[];
}

function check<T extends TextFile>(rule: Rule<T>, bad: readonly T[], good: readonly T[]): void {
  for (const file of bad) {
    assert.notDeepEqual(rule(file), [], `lets pass in ${file.path}: ${file.text}`);
  }
  for (const file of good) {
    assert.deepEqual(rule(file), [], `finds fault in ${file.path}: ${file.text}`);
  }
}

const toText = ([path, text]: Sample): TextFile => ({ path, text });

export function provesToBite(rule: Rule, { bad, good }: Samples): void {
  const sources = parse([...bad, ...good].map(toText));
  check(rule, sources.slice(0, bad.length), sources.slice(bad.length));
}

export function provesToBiteText(rule: Rule<TextFile>, { bad, good }: Samples): void {
  check(rule, bad.map(toText), good.map(toText));
}

export function keptBy<T extends TextFile>(files: readonly T[], rule: Rule<T>): void {
  assert.deepEqual(report(files.flatMap((file) => rule(file))), []);
}

/** The modules among the sources: all that Git knows, and not too few. */
export function readsEveryModule(
  context: Pick<TestContext, 'diagnostic'>,
  sources: readonly Source[],
): readonly Source[] {
  const modules = sources.filter(({ path }) => MODULE.test(path));
  context.diagnostic(`${modules.length} modules read`);
  assert.ok(modules.length >= MODULES_MIN);
  const paths = new Set(modules.map(({ path }) => path));
  assert.deepEqual(
    trackedModules().filter((path) => !paths.has(path)),
    [],
  );
  return modules;
}

/** None where the tree is no checkout. */
function trackedModules(): readonly string[] {
  if (!existsSync(join(ROOT, '.git'))) return [];
  const listed = execFileSync('git', ['ls-files', '--', ...FOLDERS], { cwd: ROOT });
  const paths = listed.toString('utf8').split('\n');
  return paths.filter((path) => MODULE.test(path) && existsSync(join(ROOT, path)));
}
