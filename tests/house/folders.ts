/**
 * Order of the folders of `actors` (D369): the first folders form no cycle. Every import counts, of
 * types too. A file beside the folders is one of its own; `main.ts`, which wires them, is in none.
 */
import type { Finding, Source } from '../../infra/tools/source.ts';
import { cyclesOf, importsOf } from './imports.ts';

export type FolderOf = (path: string) => string;

/** The folder of a path directly under `actors`. */
export const firstFolderOf: FolderOf = (path) => path.split('/').slice(0, 2).join('/');

function isOrdered(path: string): boolean {
  return path.startsWith('actors/') && path !== 'actors/main.ts';
}

/** Each cycle of folders once, found at the import that closes it. */
export function folderCycles(sources: readonly Source[], folderOf: FolderOf): readonly Finding[] {
  const edges = sources
    .filter(({ path }) => isOrdered(path))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ own, target }) => own && isOrdered(target))
        .map(({ target, node }) => ({
          from: folderOf(source.path),
          to: folderOf(target),
          ...{ source, node },
        })),
    )
    .filter(({ from, to }) => from !== to);
  return cyclesOf(edges);
}
