/**
 * Finds mutations that the compiler refuses. All of them are compiled in one run. Each mutated text
 * is a file beside the project's own, in a folder whose imports resolve as those of the original.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '../source.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const REFUSED = /^(.+?)\((\d+),\d+\): error TS(\d+)/;
/** Below it are the errors of syntax, beside which the compiler names no others. */
const SEMANTIC_FROM = 2_000;

export interface Compiled {
  readonly file: string;
  readonly text: string;
}

/**
 * True at the index of every text that the compiler refuses.
 * @param folder emptied first; below the project's root
 */
export async function refusedBy(
  texts: readonly Compiled[],
  folder: string,
): Promise<readonly boolean[]> {
  if (texts.length === 0) return [];
  const names = texts.map(({ file }, index) => file.replace(/\.ts$/, `.m${index}.ts`));
  rmSync(folder, { recursive: true, force: true });
  const tree = join(folder, 'tree');
  for (const [index, name] of names.entries()) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), texts[index]?.text ?? '');
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configIn(folder)));
  const known = new Set(names);
  const refused = new Set<string>();
  while (refused.size < names.length) {
    const { paths, complete } = await compile(folder);
    const found = [...paths].map((path) => relative(tree, path));
    const others = found.filter((name) => !known.has(name));
    if (others.length > 0)
      throw new Error(`the compiler refuses other files: ${others.join(', ')}`);
    for (const name of found) refused.add(name);
    if (complete) break;
    for (const name of found) rmSync(join(tree, name));
  }
  rmSync(folder, { recursive: true, force: true });
  return names.map((name) => refused.has(name));
}

function configIn(folder: string) {
  const upwards = relative(folder, ROOT);
  const compilerOptions = {
    rootDirs: [upwards, 'tree'],
    // A mutation may leave names unused: that is no reason to refuse it.
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  // Kinds add their commands and collections to the types of `shared`, wherever they are imported.
  const include = ['tree', `${upwards}/actors`];
  return { extends: `${upwards}/tsconfig.json`, compilerOptions, include };
}

/** Not complete where errors of syntax kept the others from being found. */
async function compile(folder: string) {
  const args = [TSC, '--noEmit', '--pretty', 'false', '-p', folder];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const errors = output.split('\n').flatMap((line) => {
    const [, path, , code] = REFUSED.exec(line) ?? [];
    return path === undefined ? [] : [{ path: join(folder, path), code: Number(code) }];
  });
  if (child.exitCode !== 0 && errors.length === 0) throw new Error(output);
  const paths = new Set(errors.map(({ path }) => path));
  return { paths, complete: errors.every(({ code }) => code >= SEMANTIC_FROM) };
}
