/**
 * Doors of the kinds (D198): a kind is a folder of `actors` whose `api.ts` holds all that other
 * kinds may know of it.
 *
 * 1. A kind imports of another kind its `api.ts` only.
 * 2. An `api.ts` imports only `shared`, `actors/model`, the pure `actors/domain`, and other
 *    `api.ts`.
 * 3. Without the edges into `api.ts` the graph of folders has no cycle, nor has the graph of the
 *    `api.ts` files.
 */

import { type Finding, found, type Rule, type Source } from '../../infra/tools/source.ts';
import { ACTOR_KINDS } from '../../shared/vocabulary.ts';
import { cyclesOf, importCycles, importsOf } from './imports.ts';

const API = /^actors\/[a-z]+\/api\.ts$/;

/** The folder of `actors` that a file lies in, or the file itself beside the folders. */
function folderOf(path: string): string {
  const [root, folder = ''] = path.split('/');
  return root === 'actors' ? `actors/${folder}` : path;
}

function kindOf(path: string): string | undefined {
  return ACTOR_KINDS.find((kind) => path.startsWith(`actors/${kind}/`));
}

export const doorLaw: Rule = (source) => {
  const kind = kindOf(source.path);
  const isApi = API.test(source.path);
  return importsOf(source).flatMap(({ own, target, node }) => {
    if (!own || API.test(target)) return [];
    if (isApi && !/^(shared|actors\/(domain|model))\//.test(target)) {
      return [found(source, node, `an api.ts may not import ${target}`)];
    }
    const other = kindOf(target);
    if (!kind || !other || kind === other) return [];
    return [found(source, node, `${kind} may import of ${other} its api.ts only: ${target}`)];
  });
};

/** Cycles of folders without the edges into `api.ts`, and cycles of `api.ts` files. */
export function doorCycles(sources: readonly Source[]): readonly Finding[] {
  const edges = sources
    .filter(({ path }) => path.startsWith('actors/'))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ own, target }) => own && target.startsWith('actors/') && !API.test(target))
        .map(({ target, node }) => ({
          from: folderOf(source.path),
          to: folderOf(target),
          source,
          node,
        })),
    )
    .filter(({ from, to }) => from !== to);
  return [...cyclesOf(edges), ...importCycles(sources.filter(({ path }) => API.test(path)))];
}
