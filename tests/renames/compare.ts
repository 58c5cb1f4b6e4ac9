/**
 * Whether two revisions differ by names alone: identifiers, comments and the paths of files.
 * 1. A symbol is one symbol in both: no two become one, and none becomes two.
 * 2. All literals are the same, but for those that the table declares.
 * 3. A property of a literal or a pattern takes another name only where a member has taken it.
 */
import { dirname, join, normalize } from 'node:path/posix';
import type { Node } from 'typescript/unstable/ast';
import { isShorthandPropertyAssignment } from 'typescript/unstable/ast/is';
import { lineOf } from '../tidy/source.ts';
import type { Revision } from './revision.ts';
import { type Pair, type Side, type Walked, walk } from './walk.ts';

export interface Compared {
  readonly before: Revision;
  readonly after: Revision;
  /** Files by their path before, and their path after. */
  readonly files: ReadonlyMap<string, string>;
  /** Literals that change, by their text before. */
  readonly literals: ReadonlyMap<string, string>;
}

interface File {
  readonly compared: Compared;
  readonly path: string;
  readonly before: Side;
  readonly after: Side;
  readonly walked: Walked;
}

type Tell = (file: File, node: Node, message: string) => void;

/** One sentence for each difference that is more than a name. */
export function differences(compared: Compared): readonly string[] {
  const told: string[] = [];
  const tell: Tell = ({ path, after }, node, message) => {
    told.push(
      `${path}:${lineOf({ path, text: after.text }, node.getStart(after.tree))}: ${message}`,
    );
  };
  const files = [...compared.files].flatMap(([from, to]) => {
    const file = fileOf(compared, from, to);
    if (file === null) told.push(`${to}: the compiler reads it in one revision at most`);
    return file ?? [];
  });
  for (const file of files) {
    const { difference } = file.walked;
    if (difference !== null) tell(file, difference.after, 'the structure differs');
    told.push(...importsThatDiffer(file).map((each) => `${file.path}: ${each}`));
  }
  const members = compareNames(compared, files, tell);
  for (const file of files) {
    for (const pair of file.walked.shorthands) compareMember(file, pair, { members, tell });
    for (const pair of file.walked.texts) compareText(file, pair, tell);
  }
  return told;
}

function fileOf(compared: Compared, from: string, to: string): File | null {
  const { before, after } = compared;
  const trees = { before: before.tree(from), after: after.tree(to) };
  if (trees.before === undefined || trees.after === undefined) return null;
  const sides = {
    before: { tree: trees.before, text: trees.before.text },
    after: { tree: trees.after, text: trees.after.text },
  };
  return { compared, path: to, ...sides, walked: walk(sides.before, sides.after) };
}

/** Names that differ, as `before after`. */
type Members = ReadonlySet<string>;

function compareNames({ before, after }: Compared, files: readonly File[], tell: Tell): Members {
  const forwards = new Map<string, string>();
  const backwards = new Map<string, string>();
  const members = new Set<string>();
  for (const file of files) {
    const { names } = file.walked;
    const were = identitiesOf(
      before,
      names.map((pair) => pair.before),
    );
    const are = identitiesOf(
      after,
      names.map((pair) => pair.after),
    );
    for (const [index, pair] of names.entries()) {
      const [was, is] = [were[index] ?? null, are[index] ?? null];
      const [oldName, newName] = [nameOf(file.before, pair.before), nameOf(file.after, pair.after)];
      if (was === null || is === null) {
        if (was !== is || oldName !== newName)
          tell(file, pair.after, `${oldName} became ${newName}`);
        continue;
      }
      const one = (forwards.get(was) ?? is) === is && (backwards.get(is) ?? was) === was;
      if (!one) tell(file, pair.after, `${oldName} became ${newName}, which is another symbol`);
      forwards.set(was, is);
      backwards.set(is, was);
      if (oldName !== newName) members.add(`${oldName} ${newName}`);
    }
  }
  return members;
}

function identitiesOf(revision: Revision, nodes: readonly Node[]): readonly (string | null)[] {
  const found = revision.identities(nodes);
  return nodes.map((node, index) =>
    isShorthandPropertyAssignment(node.parent)
      ? revision.shorthandValue(node.parent)
      : (found[index] ?? null),
  );
}

function nameOf({ text, tree }: Side, node: Node): string {
  return text.slice(node.getStart(tree), node.end);
}

interface Renames {
  readonly members: Members;
  readonly tell: Tell;
}

function compareMember(file: File, { before, after }: Pair, { members, tell }: Renames): void {
  const [oldName, newName] = [nameOf(file.before, before), nameOf(file.after, after)];
  if (oldName === newName || members.has(`${oldName} ${newName}`)) return;
  tell(file, after, `the property ${oldName} became ${newName}`);
}

function compareText(file: File, pair: Pair, tell: Tell): void {
  const { compared } = file;
  const was = nameOf(file.before, pair.before);
  const is = nameOf(file.after, pair.after);
  if (was === is || compared.literals.get(unquoted(was)) === unquoted(is)) return;
  if (compared.files.get(unquoted(was)) === unquoted(is)) return;
  const path = moved(file, 'before', unquoted(was));
  if (path !== null && path === moved(file, 'after', unquoted(is))) return;
  tell(file, pair.after, `${was} became ${is}`);
}

function unquoted(literal: string): string {
  return literal.replace(/^(['"`])([\s\S]*)\1$/, '$2');
}

/** The path of a specifier of either side after the renames; null where it is no file of ours. */
function moved(file: File, side: 'before' | 'after', specifier: string): string | null {
  const { files } = file.compared;
  const from = side === 'after' ? file.path : pathBefore(files, file.path);
  const path = specifier.startsWith('#')
    ? specifier.slice(1)
    : specifier.startsWith('.')
      ? normalize(join(dirname(from), specifier))
      : null;
  return path === null || side === 'after' ? path : (files.get(path) ?? path);
}

function pathBefore(files: ReadonlyMap<string, string>, path: string): string {
  for (const [from, to] of files) if (to === path) return from;
  return path;
}

function importsThatDiffer(file: File): readonly string[] {
  const { before, after } = file.walked.imports;
  const were = before.map((each) => moved(file, 'before', each) ?? each);
  const are = after.map((each) => moved(file, 'after', each) ?? each);
  return [
    ...were.filter((each) => !are.includes(each)).map((each) => `${each} is not imported`),
    ...are.filter((each) => !were.includes(each)).map((each) => `${each} is imported`),
  ];
}
