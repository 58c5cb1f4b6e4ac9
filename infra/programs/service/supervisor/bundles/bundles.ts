/**
 * Bundles of the project's own roles, for the supervisor. A role of the Procfile that has a bundle
 * is started from it, with the same options and behaviour.
 *
 * 1. A bundle is used only while every file that it was made of is unchanged. The supervisor makes
 *    new ones at its start. A role that it starts again behind a change starts from its source.
 * 2. Where no bundle can be made, the roles start from their sources, and the log says why.
 * 3. So do roles with a preloaded module or with coverage: those know sources by their files.
 */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sentenceOf } from '../../../../adapters/log/sentence.ts';
import type { Environment } from '../../../../config/config.ts';
import { BundleFolders } from './bundle-folders.ts';
import { SourceState } from './source-state.ts';

/** Compiled code of the bundles, which goes with them. */
const COMPILED = 'compiled';
/** Roles that start together share one look at the sources. */
const LOOK_MS = 1_000;
/** The file system's clock may be behind by this. */
const CLOCK_MS = 100;
const ATTEMPTS = 3;
const PRELOADS = /(^|\s)(--import|--require|-r|--loader|--experimental-loader)\b/;

export interface BundlesOptions {
  readonly root: string;
  /** Where the folders of bundles are. */
  readonly place: string;
  /** Sources of the programs, from the root; bundles of one group have files in common. */
  readonly groups: readonly (readonly string[])[];
  readonly report: (sentence: string) => void;
}

/** Arguments of Node.js, and its environment. */
export interface Command {
  readonly args: readonly string[];
  readonly env: Environment;
}

export interface Bundles {
  readonly key: string;
  /** The command from the bundle; null where the source is to be started. */
  commandOf(command: Command): Command | null;
}

/** Finds or makes the bundles of the sources as they are; null where that is not possible. */
export async function prepareBundles(options: BundlesOptions): Promise<Bundles | null> {
  const root = realpathSync(options.root);
  const { groups, report } = options;
  const entries = groups.flat();
  const folders = new BundleFolders(options.place);
  try {
    const key = findCurrent(folders, { root, entries }) ?? (await make(folders, { root, groups }));
    folders.use(key);
    const isCurrent = lookAgain(folders, { root, entries, key, report });
    const commandOf = (command: Command) => {
      const found = looksAtSources(command) ? null : entryIn(command.args, { root, entries });
      if (found === null || !isCurrent()) return null;
      const args = command.args.with(found.at, folders.bundleOf(key, found.entry));
      return { args, env: compiledIn(folders.folderOf(key), command.env) };
    };
    return { key, commandOf };
  } catch (cause) {
    report(`the roles start from their sources: ${sentenceOf(cause)}`);
    return null;
  }
}

interface Sources {
  readonly root: string;
  readonly entries: readonly string[];
}

function findCurrent(folders: BundleFolders, sources: Sources): string | null {
  return folders.keys().find(currentIn(folders, sources)) ?? null;
}

/** Whether bundles are there, and made of the sources as one look finds them. */
function currentIn(folders: BundleFolders, { root, entries }: Sources): (key: string) => boolean {
  const state = new SourceState(root);
  return (key) => {
    const inputs = folders.inputsOf(key);
    return inputs !== null && state.keyOf(entries, inputs) === key;
  };
}

/** A source that changes meanwhile may be in the bundle in another state: it is made anew. */
async function make(
  folders: BundleFolders,
  { root, groups }: Pick<BundlesOptions, 'root' | 'groups'>,
): Promise<string> {
  // The bundler costs 10 ms to load, and most starts need none.
  const { bundle } = await import('./bundler.ts');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const startedAtMs = Date.now();
    const folder = folders.draft();
    try {
      const inputs = new Set<string>();
      for (const entries of groups) {
        for (const input of await bundle({ root, entries, folder })) inputs.add(input);
      }
      const state = new SourceState(root);
      const key = state.keyOf(groups.flat(), [...inputs]);
      if (state.changedAtMs < startedAtMs - CLOCK_MS) {
        folders.publish(folder, key, [...inputs]);
        folders.sweep();
        return key;
      }
      await sleep(CLOCK_MS);
    } finally {
      folders.discard(folder);
    }
  }
  throw new Error('the sources change while they are bundled');
}

interface Looked extends Sources {
  readonly key: string;
  readonly report: (sentence: string) => void;
}

/** Whether the bundles are there and current; the first time that they are not is reported. */
function lookAgain(folders: BundleFolders, looked: Looked): () => boolean {
  const { key, report } = looked;
  let lookedAtMs = performance.now();
  let isCurrent = true;
  return () => {
    if (!isCurrent || performance.now() - lookedAtMs < LOOK_MS) return isCurrent;
    isCurrent = currentIn(folders, looked)(key);
    lookedAtMs = performance.now();
    if (!isCurrent) report('the sources have changed: roles that start again start from them');
    return isCurrent;
  };
}

/** The program is the first word that is no option of Node.js. */
function entryIn(args: readonly string[], { root, entries }: Sources) {
  const at = args.findIndex((word) => !word.startsWith('-'));
  const program = resolve(root, args[at] ?? '');
  const entry = entries.find((each) => join(root, each) === program);
  return entry === undefined ? null : { at, entry };
}

/** Compiled code is kept beside the bundles where it is kept at all. */
function compiledIn(folder: string, env: Environment): Environment {
  return env.NODE_COMPILE_CACHE ? { ...env, NODE_COMPILE_CACHE: join(folder, COMPILED) } : env;
}

function looksAtSources({ args, env }: Command): boolean {
  const options = [env.NODE_OPTIONS ?? '', ...args].join(' ');
  return Boolean(env.NODE_V8_COVERAGE) || PRELOADS.test(options);
}
