/** Two trees side by side: the same but for names, or the first difference of their structure. */
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isBindingElement,
  isIdentifier,
  isImportDeclaration,
  isParenthesizedExpression,
  isPrivateIdentifier,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
} from 'typescript/unstable/ast/is';
import { childrenOf } from '../tidy/source.ts';

export interface Side {
  readonly text: string;
  readonly tree: SourceFile;
}

export interface Pair {
  readonly before: Node;
  readonly after: Node;
}

export interface Walked {
  readonly names: readonly Pair[];
  /** Shorthand properties, whose name and value are one word. */
  readonly shorthands: readonly Pair[];
  /** Literals and everything else that is written out. */
  readonly texts: readonly Pair[];
  readonly imports: { readonly before: readonly string[]; readonly after: readonly string[] };
  readonly difference: Pair | null;
}

interface Walk {
  readonly before: Side;
  readonly after: Side;
  readonly names: Pair[];
  readonly shorthands: Pair[];
  readonly texts: Pair[];
}

/** Walks until the first difference of structure. Imports are compared by what they name. */
export function walk(before: Side, after: Side): Walked {
  const state: Walk = { before, after, names: [], shorthands: [], texts: [] };
  const statements = { before: childrenOf(before.tree), after: childrenOf(after.tree) };
  const ordinary = {
    before: statements.before.filter((each) => !isImportDeclaration(each)),
    after: statements.after.filter((each) => !isImportDeclaration(each)),
  };
  const difference =
    alignedAll(state, ordinary.before, ordinary.after) ??
    (ordinary.before.length === ordinary.after.length
      ? null
      : { before: before.tree, after: after.tree });
  const { names, shorthands, texts } = state;
  const imports = {
    before: importsOf(before, statements.before),
    after: importsOf(after, statements.after),
  };
  return { names, shorthands, texts, imports, difference };
}

function importsOf({ text, tree }: Side, statements: readonly Node[]): readonly string[] {
  return statements.filter(isImportDeclaration).map(({ moduleSpecifier }) => {
    const from = moduleSpecifier.getStart(tree);
    return text.slice(from + 1, moduleSpecifier.end - 1);
  });
}

function alignedAll(state: Walk, before: readonly Node[], after: readonly Node[]): Pair | null {
  for (const [index, node] of before.entries()) {
    const other = after[index];
    if (other === undefined) return { before: node, after: state.after.tree };
    const difference = aligned(state, bare(node), bare(other));
    if (difference !== null) return difference;
  }
  return null;
}

/** Parentheses come and go with the width of a line; the tree says what belongs together. */
function bare(node: Node): Node {
  return isParenthesizedExpression(node) ? bare(node.expression) : node;
}

function aligned(state: Walk, before: Node, after: Node): Pair | null {
  const pair = { before, after };
  if (isNamed(before) || isNamed(after)) return alignedNamed(state, pair);
  if (before.kind !== after.kind) return pair;
  if (isIdentifier(before) || isPrivateIdentifier(before)) {
    state.names.push(pair);
    return null;
  }
  const parts = { before: childrenOf(before), after: childrenOf(after) };
  if (parts.before.length !== parts.after.length) return pair;
  if (parts.before.length === 0) {
    state.texts.push(pair);
    return null;
  }
  const own = ownText(state.before, before, parts.before);
  if (own !== ownText(state.after, after, parts.after)) return pair;
  return alignedAll(state, parts.before, parts.after);
}

/** `{ a }` in a literal or a pattern, which a rename may turn into `{ a: b }` and back. */
function isNamed(node: Node): boolean {
  return (
    isShorthandPropertyAssignment(node) ||
    (isBindingElement(node) && node.dotDotDotToken === undefined && isName(node.name))
  );
}

function alignedNamed(state: Walk, pair: Pair): Pair | null {
  const before = namedParts(pair.before);
  const after = namedParts(pair.after);
  if (before === null || after === null || before.rest.length !== after.rest.length) return pair;
  state.names.push({ before: before.value, after: after.value });
  state.shorthands.push({ before: before.name, after: after.name });
  return alignedAll(state, before.rest, after.rest);
}

function isName(node: Node | undefined): node is Node {
  return node !== undefined && isIdentifier(node);
}

interface NamedParts {
  readonly name: Node;
  readonly value: Node;
  /** A default. */
  readonly rest: readonly Node[];
}

function namedParts(node: Node): NamedParts | null {
  if (isShorthandPropertyAssignment(node)) return { name: node.name, value: node.name, rest: [] };
  if (isPropertyAssignment(node) && isIdentifier(node.name) && isIdentifier(node.initializer)) {
    return { name: node.name, value: node.initializer, rest: [] };
  }
  if (!isBindingElement(node) || !isName(node.name)) return null;
  const rest = node.initializer === undefined ? [] : [node.initializer];
  return { name: node.propertyName ?? node.name, value: node.name, rest };
}

/** The text between the parts: keywords, operators and brackets. */
function ownText({ text, tree }: Side, node: Node, parts: readonly Node[]): string {
  let at = node.getStart(tree);
  let own = '';
  for (const part of parts) {
    own += text.slice(at, Math.max(at, part.getStart(tree)));
    at = Math.max(at, part.end);
  }
  own += text.slice(at, node.end);
  return own.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ' ').replace(/[\s,]+/g, '');
}
