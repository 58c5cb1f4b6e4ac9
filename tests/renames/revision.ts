/** One revision of the project as the compiler sees it: trees of files, and symbols by name. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  API,
  type Checker,
  type NodeHandle,
  type Symbol as ProgramSymbol,
  type Project,
  SymbolFlags,
} from 'typescript/unstable/sync';
import { ROOT } from '../tidy/source.ts';

const CONFIG = 'tsconfig.renames.json';
const OPTIONS = {
  extends: './tsconfig.json',
  compilerOptions: { allowJs: true, checkJs: false },
};

export interface Revision extends Disposable {
  /** Of a path from the revision's root. */
  tree(path: string): SourceFile | undefined;
  /**
   * The identity of each identifier's symbol within this revision; an imported name has the
   * identity of its origin. Null for a name of a library and for one that the compiler cannot
   * resolve.
   */
  identities(nodes: readonly Node[]): readonly (string | null)[];
  /** The identity of the value that a shorthand property names. */
  shorthandValue(node: Node): string | null;
}

/** The project in `folder`, with the packages of this working tree. */
export function openRevision(folder: string): Revision {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, CONFIG), JSON.stringify(OPTIONS));
  const api = new API({ cwd: folder });
  const config = join(folder, CONFIG);
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (!project) throw new Error(`${folder} could not be opened`);
  const symbols = symbolsOf(project, folder);
  return {
    tree: (path) => project.program.getSourceFile(join(folder, path)),
    identities: (nodes) => project.checker.getSymbolAtLocation(nodes).map(symbols),
    shorthandValue: (node) => symbols(project.checker.getShorthandAssignmentValueSymbol(node)),
    [Symbol.dispose]: () => api.close(),
  };
}

function symbolsOf(project: Project, folder: string) {
  const known = new Map<number, string | null>();
  const within = `${folder.toLowerCase()}/`;
  const place = ({ path, index }: NodeHandle): string | null =>
    path.toLowerCase().startsWith(within) && !path.includes('/node_modules/')
      ? `${relative(folder, path)}#${index}`
      : null;
  const identify = (symbol: ProgramSymbol): string | null => {
    const { declarations } = targetOf(project.checker, symbol);
    const places = declarations.map(place);
    return places.length === 0 || places.includes(null) ? null : places.sort().join(' ');
  };
  return (symbol: ProgramSymbol | undefined): string | null => {
    if (symbol === undefined) return null;
    const found = known.get(symbol.id);
    if (found !== undefined) return found;
    const identity = identify(symbol);
    known.set(symbol.id, identity);
    return identity;
  };
}

function targetOf(checker: Checker, symbol: ProgramSymbol): ProgramSymbol {
  return (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}
