/**
 * Folders of bundles, each named by the state of the sources that it was made of.
 * 1. A folder appears by rename, whole. Of two that are made at once, one stays.
 * 2. Each supervisor has a mark in the folder that it uses. A folder with the mark of a running
 *    process stays, and so do the two that were used last.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { identifyProcess, isRunning } from '../process-identity.ts';

const KEY = /^[0-9a-f]{32}$/;
const DRAFT = 'draft-';
const MANIFEST = 'manifest.json';
const USERS = 'users';
const KEPT = 2;
/** A folder that was used within this time may be about to be used. */
const REST_MS = 60_000;
/** Behind this time the maker of a draft has ended. */
const DRAFT_MS = 600_000;

const ManifestSchema = v.object({ inputs: v.array(v.string()) });

export class BundleFolders {
  readonly #place: string;

  constructor(place: string) {
    this.#place = place;
  }

  folderOf(key: string): string {
    return join(this.#place, key);
  }

  /** The bundle of a source's path from the root. */
  bundleOf(key: string, entry: string): string {
    return join(this.folderOf(key), entry.replace(/\.ts$/, '.mjs'));
  }

  /** Keys of the folders, the last used one first. */
  keys(): readonly string[] {
    return namesIn(this.#place)
      .filter((name) => KEY.test(name))
      .map((key) => ({ key, usedAtMs: this.#usedAtMs(key) }))
      .sort((one, other) => other.usedAtMs - one.usedAtMs)
      .map(({ key }) => key);
  }

  /** The files that the bundles of a folder were made of; null where there are no bundles. */
  inputsOf(key: string): readonly string[] | null {
    try {
      const text = readFileSync(join(this.folderOf(key), MANIFEST), 'utf8');
      return v.parse(ManifestSchema, JSON.parse(text)).inputs;
    } catch {
      return null;
    }
  }

  /** An empty folder to build in. */
  draft(): string {
    mkdirSync(this.#place, { recursive: true });
    return mkdtempSync(join(this.#place, DRAFT));
  }

  /** Where another one was faster, its folder stays and so does the draft. */
  publish(draft: string, key: string, inputs: readonly string[]): void {
    mkdirSync(join(draft, USERS));
    writeFileSync(join(draft, MANIFEST), JSON.stringify({ inputs }));
    try {
      renameSync(draft, this.folderOf(key));
    } catch (cause) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(cause))) throw cause;
    }
  }

  discard(draft: string): void {
    rmSync(draft, { recursive: true, force: true });
  }

  /** Keeps the folder while this process runs. */
  use(key: string): void {
    const mark = join(this.folderOf(key), USERS, String(process.pid));
    writeFileSync(mark, identifyProcess(process.pid)?.startedAt ?? '');
    process.once('exit', () => removeIfPossible(mark));
  }

  /** Removes the folders that nothing can use. */
  sweep(): void {
    const old = this.keys()
      .slice(KEPT)
      .filter((key) => Date.now() - this.#usedAtMs(key) > REST_MS && !this.#isUsed(key));
    for (const key of old) renameSync(this.folderOf(key), join(this.#place, `${DRAFT}${key}`));
    for (const name of namesIn(this.#place)) {
      if (!name.startsWith(DRAFT)) continue;
      const draft = join(this.#place, name);
      const isOld = old.includes(name.slice(DRAFT.length));
      if (isOld || Date.now() - changedAtMs(draft) > DRAFT_MS) this.discard(draft);
    }
  }

  /** When the last mark was set or taken away. */
  #usedAtMs(key: string): number {
    return changedAtMs(join(this.folderOf(key), USERS));
  }

  #isUsed(key: string): boolean {
    const users = join(this.folderOf(key), USERS);
    return namesIn(users).some((pid) =>
      isRunning({ pid: Number(pid), startedAt: readFileSync(join(users, pid), 'utf8') }),
    );
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

function changedAtMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** A mark that stays is one of a process that has ended. */
function removeIfPossible(mark: string): void {
  try {
    rmSync(mark, { force: true });
  } catch {
    return;
  }
}

function codeOf(cause: unknown): string {
  return String(Reflect.get(Object(cause), 'code'));
}
