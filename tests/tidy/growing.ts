/**
 * Whatever of the service may grow while it runs: containers in fields and in closures, collections
 * of the store, reads without a limit. `docs/limits.md` has a line for each of them.
 *
 * 1. A container that is readonly in both its field and its type holds what it was made with.
 * 2. A name is `path#container`, `path find collection`, or the collection alone.
 */
import {
  isArrayLiteralExpression,
  isCallExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isNewExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isReturnStatement,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast';
import { nodesOf, type Source, textOf } from './source.ts';

/** Programs that operators run by hand, benchmarks, and the simulator of the networks. */
const LEFT_OUT = /^infra\/(bench|setup|cli|sandbox|supervisor)\//;
const SERVICE = /^(actors|gateway|infra|shared)\/.*\.ts$/;

const CONTAINER = /^(Map|Set|Recent|Array|Deque)\b/;
const GROWING_TYPE = /^(Map|Set|Recent|Array)<|^(?!readonly\b).*\[\]$/;

export function isServed({ path }: Pick<Source, 'path'>): boolean {
  return SERVICE.test(path) && !LEFT_OUT.test(path);
}

/** Names of everything in the file that may grow, each once. */
export function growingIn(source: Source): readonly string[] {
  const names = new Set<string>();
  for (const node of nodesOf(source.tree)) {
    const container = containerIn(source, node);
    if (container !== null) names.add(`${source.path}#${container}`);
    const read = unlimitedRead(source, node);
    if (read !== null) names.add(`${source.path} find ${read}`);
  }
  return [...names];
}

function containerIn(source: Source, node: Node): string | null {
  if (isPropertyDeclaration(node)) {
    const fixed = node.modifiers?.some((each) => textOf(source, each) === 'readonly') ?? false;
    const type = node.type ? textOf(source, node.type) : '';
    const grows = mayGrow(source, { type, value: node.initializer, fixed });
    return grows ? textOf(source, node.name).replace(/^#/, '') : null;
  }
  if (!isVariableDeclaration(node) || !isIdentifier(node.name)) return null;
  const type = node.type ? textOf(source, node.type) : '';
  const name = textOf(source, node.name);
  if (!mayGrow(source, { type, value: node.initializer, fixed: true })) return null;
  const home = functionAround(node);
  return home === null || outlives(source, home, name) ? name : null;
}

interface Declared {
  readonly type: string;
  readonly value: Node | undefined;
  /** Never assigned anew. */
  readonly fixed: boolean;
}

function mayGrow(source: Source, { type, value, fixed }: Declared): boolean {
  if (type.startsWith('Readonly') || type.startsWith('readonly')) {
    return !fixed && /\[\]$|^Readonly(Map|Set|Array)</.test(type);
  }
  if (GROWING_TYPE.test(type)) return true;
  if (!value || type !== '') return false;
  if (isArrayLiteralExpression(value)) return value.elements.length === 0;
  if (!isNewExpression(value) || !CONTAINER.test(textOf(source, value.expression))) return false;
  const [first] = value.arguments ?? [];
  return first === undefined || !isArrayLiteralExpression(first);
}

function functionAround(node: Node): Node | null {
  for (let at: Node | undefined = node.parent; at; at = at.parent) {
    if (isFunctionLikeDeclaration(at)) return at;
  }
  return null;
}

/** A function that is given back by the one around still names the container. */
function outlives(source: Source, home: Node, name: string): boolean {
  for (const node of nodesOf(home)) {
    if (!isFunctionLikeDeclaration(node) || !isGivenBack(node, home)) continue;
    for (const inner of nodesOf(node)) {
      if (isIdentifier(inner) && textOf(source, inner) === name) return true;
    }
  }
  return false;
}

function isGivenBack(node: Node, home: Node): boolean {
  for (let at: Node | undefined = node.parent; at && at !== home; at = at.parent) {
    // An argument of a call is done with when the call is.
    if (isCallExpression(at) || isNewExpression(at)) return false;
    if (isReturnStatement(at)) return functionAround(at) === home;
  }
  return false;
}

/** A read of the store whose options name no limit. */
function unlimitedRead(source: Source, node: Node): string | null {
  if (!isCallExpression(node)) return null;
  const callee = textOf(source, node.expression);
  if (!/(store\b.*|collection\(.*\))\.find$/i.test(callee.replace(/\s+/g, ''))) return null;
  if (/\blimit\b|\.\.\.page|\bmost\b/.test(textOf(source, chainAround(node)))) return null;
  const [collection] = node.arguments;
  return collection ? textOf(source, collection).replaceAll("'", '') : 'all';
}

function chainAround(node: Node): Node {
  let chain = node;
  while (chain.parent && /^\s*\.|^\(/.test(textAfter(chain))) chain = chain.parent;
  return chain;
}

function textAfter(node: Node): string {
  const { parent } = node;
  return parent ? parent.getText().slice(node.end - parent.getStart()) : '';
}

/** Names of the collections that the file writes to. */
export function collectionsIn(source: Source): readonly string[] {
  const names = new Set<string>();
  for (const node of nodesOf(source.tree)) {
    if (!isPropertyAssignment(node)) continue;
    if (!/^(insert|update|collection)$/.test(textOf(source, node.name))) continue;
    if (isStringLiteral(node.initializer)) names.add(node.initializer.text);
  }
  return [...names];
}
