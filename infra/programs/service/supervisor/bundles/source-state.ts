/** State of the files that bundles are made of: a bundle is used while none of them has changed. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Files that decide over a bundle without being in it: of the packages, and the bundler. */
const BESIDE = [
  ...['package.json', 'package-lock.json', 'node_modules/.package-lock.json'],
  ...['node_modules/esbuild/package.json', join(import.meta.dirname, 'bundler.ts')],
];

/** One look at the files; each is read at most once. */
export class SourceState {
  readonly #root: string;
  readonly #states = new Map<string, string>();
  #changedAtMs = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** When the file that was changed last was changed, in epoch milliseconds. */
  get changedAtMs(): number {
    return this.#changedAtMs;
  }

  /** Names the bundles of these entries, made of these files in their present state. */
  keyOf(entries: readonly string[], inputs: readonly string[]): string {
    const hash = createHash('sha256');
    hash.update(JSON.stringify([process.version, process.arch, this.#root, entries]));
    for (const path of [...BESIDE, ...inputs]) hash.update(`${path}\0${this.#stateOf(path)}\0`);
    return hash.digest('hex').slice(0, 32);
  }

  /** A change of content always changes the time of the last change, which no program can set. */
  #stateOf(path: string): string {
    const known = this.#states.get(path);
    if (known !== undefined) return known;
    const found = statSync(resolve(this.#root, path), { throwIfNoEntry: false });
    this.#changedAtMs = Math.max(this.#changedAtMs, found?.ctimeMs ?? 0);
    const state = found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : 'none';
    this.#states.set(path, state);
    return state;
  }
}
