/**
 * Rules of folders. Outside of tests each directly holds at most 25 files.
 *
 * Order of the folders of `actors` (D369): neither its first folders nor all of them, nested ones
 * each by itself, form a cycle. Every import counts, of types too. A file beside the first folders
 * is one of its own; `main.ts`, which wires them, is in none.
 */
import { dirname } from 'node:path';
import type { Finding, Source, TextFile } from '../../infra/tools/source.ts';
import { cyclesOf, importsOf } from './imports.ts';

type FolderOf = (path: string) => string;

/** The folder of a path directly under `actors`. */
export const firstFolderOf: FolderOf = (path) => path.split('/').slice(0, 2).join('/');

/** The folder that a file lies in. */
export const folderOf: FolderOf = (path) => (dirname(path) === 'actors' ? path : dirname(path));

function isOrdered(path: string): boolean {
  return path.startsWith('actors/') && path !== 'actors/main.ts';
}

/** Each cycle of folders once, found at the import that closes it. */
export function folderCycles(sources: readonly Source[], named: FolderOf): readonly Finding[] {
  const edges = sources
    .filter(({ path }) => isOrdered(path))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ own, target }) => own && isOrdered(target))
        .map(({ target, node }) => {
          return { from: named(source.path), to: named(target), source, node };
        }),
    )
    .filter(({ from, to }) => from !== to);
  return cyclesOf(edges);
}

/** A reader takes in the names of so many files at once. */
const FILES_MAX = 25;

/** Folders outside of tests that directly hold more files than that. */
export function largeFolders(texts: readonly TextFile[]): readonly string[] {
  const files = texts.filter(({ path }) => !path.startsWith('tests/'));
  return [...Map.groupBy(files, ({ path }) => dirname(path))]
    .filter(([, held]) => held.length > FILES_MAX)
    .map(([folder, held]) => `${folder} holds ${held.length} files; ${FILES_MAX} at most`);
}
