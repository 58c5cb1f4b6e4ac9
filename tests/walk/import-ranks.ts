/** Ranks of files in the order of imports, from the programs down. */
import { importsOf } from '../tidy/imports.ts';
import { parse, readTexts } from '../tidy/source.ts';

/** Rank of each file that a program reaches, by its path from the root. */
export function importRanks(programs: readonly string[]): ReadonlyMap<string, number> {
  const sources = new Map(parse(readTexts()).map((source) => [source.path, source]));
  const ranks = new Map<string, number>();
  const visit = (path: string): void => {
    const source = sources.get(path);
    if (source === undefined || ranks.has(path)) return;
    ranks.set(path, ranks.size);
    for (const { own, target } of importsOf(source)) if (own) visit(target);
  };
  for (const program of programs) visit(program);
  return ranks;
}
