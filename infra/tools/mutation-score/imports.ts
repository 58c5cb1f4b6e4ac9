/** Which files a file of the project imports, and by which tests a file of the source is seen. */
import { createHash } from 'node:crypto';
import { dirname, join, normalize } from 'node:path';
import type { TextFile } from '../source.ts';

/** All but the type of a package (`typeof import('mongodb')`), which loads nothing. */
const SPECIFIER = /(?:\bfrom|(?<!typeof )\bimport\(?)\s*'([^']+)'/g;
/** Tests of these parts start processes and servers, or wait for them. */
const REAL_PARTS: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:worker_threads',
  'node:net',
  'node:http',
  'mongodb',
  'nats',
  'uWebSockets.js',
]);

export class Imports {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #closures = new Map<string, ReadonlySet<string>>();
  readonly #digests = new Map<string, string>();

  constructor(files: readonly TextFile[]) {
    this.#texts = new Map(files.map(({ path, text }) => [path, text]));
  }

  text(path: string): string {
    return this.#texts.get(path) ?? '';
  }

  /** The file, all that it imports, directly or not, and the names of packages. */
  closure(path: string): ReadonlySet<string> {
    const known = this.#closures.get(path);
    if (known) return known;
    const seen = new Set([path]);
    for (const each of seen) for (const found of this.#importsOf(each)) seen.add(found);
    this.#closures.set(path, seen);
    return seen;
  }

  /** Changes with every file of the closure. */
  digest(path: string): string {
    const known = this.#digests.get(path);
    if (known) return known;
    const hash = createHash('sha256');
    for (const each of [...this.closure(path)].sort()) hash.update(`${each}\0${this.text(each)}\0`);
    const digest = hash.digest('base64url');
    this.#digests.set(path, digest);
    return digest;
  }

  /** Of `paths` the files through which `path` is imported, itself too. */
  dependents(path: string, paths: Iterable<string>): readonly string[] {
    return [...paths].filter((each) => this.closure(each).has(path));
  }

  /** Test files that run in one thread and see one of the targets. */
  pureTests(targets: readonly string[]): readonly string[] {
    const tests = [...this.#texts.keys()].filter((path) => path.endsWith('.test.ts'));
    return tests.filter((path) => {
      const closure = [...this.closure(path)];
      return (
        !closure.some((each) => REAL_PARTS.has(each)) && targets.some((t) => closure.includes(t))
      );
    });
  }

  #importsOf(path: string): readonly string[] {
    const names = [...this.text(path).matchAll(SPECIFIER)].map(([, name = '']) => name);
    return names.map((name) => {
      if (name.startsWith('#')) return name.slice(1);
      return name.startsWith('.') ? normalize(join(dirname(path), name)) : name;
    });
  }
}
