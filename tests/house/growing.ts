/**
 * Lists all state of the service that may grow: containers in fields, in objects and in closures,
 * collections of the store, reads without a limit. Each of them has a line in `docs/limits.md`.
 * 1. A container that is readonly in both its field and its type holds what it was made with.
 * 2. A typed array that is assigned anew may have grown.
 * 3. A name is `path#container`, `path find collection`, or the collection alone.
 */
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isBinaryExpression,
  isCallExpression,
  isClassDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isNewExpression,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  isReturnStatement,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast';
import { nodesOf, type Source, textOf } from './source.ts';

/**
 * Programs that operators run by hand, benchmarks, the simulator of the networks, the client
 * package, and the panel's pages, whose memory is one browser's.
 */
const LEFT_OUT =
  /^(infra\/(bench|kit|programs\/(setup|cli|simulator|supervisor))|gateway\/panel\/browser)\//;
const SERVICE = /^(actors|gateway|infra|shared)\/.*\.ts$/;

const CONTAINER = /^(Map|Set|GenerationalCache|Array|Deque)\b/;
const GROWING_TYPE = /^(Map|Set|GenerationalCache|Array|Deque)<|^(?!.*\breadonly\b).*\[\]$/;
const TYPED_ARRAY = /^((Uint|Int|BigUint|BigInt|Float)\d+Array|Buffer)\b/;

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
  if (isClassDeclaration(node)) return isContainer(source, node) ? nameOf(source, node) : null;
  if (isPropertyAssignment(node) || isBinaryExpression(node)) return keptValue(source, node);
  if (isPropertyDeclaration(node)) {
    const fixed = node.modifiers?.some((each) => textOf(source, each) === 'readonly') ?? false;
    const type = node.type ? textOf(source, node.type) : '';
    const grows = mayGrow(source, { type, value: node.initializer, fixed });
    return grows ? textOf(source, node.name).replace(/^#/, '') : null;
  }
  if (isPropertySignatureDeclaration(node)) {
    const type = node.type ? textOf(source, node.type) : '';
    return isMember(source, type) ? textOf(source, node.name) : null;
  }
  if (!isVariableDeclaration(node) || !isIdentifier(node.name)) return null;
  if (node.initializer && isArrowFunction(node.initializer)) {
    const made = { type: '', value: node.initializer.body, fixed: true };
    return mayGrow(source, made) ? textOf(source, node.name) : null;
  }
  const type = node.type ? textOf(source, node.type) : '';
  const name = textOf(source, node.name);
  if (!mayGrow(source, { type, value: node.initializer, fixed: true })) return null;
  const home = functionAround(node);
  return home === null || outlives(source, home, name) ? name : null;
}

type Class = Parameters<typeof isClassDeclaration>[0] & { readonly name?: Node | undefined };

function nameOf(source: Source, { name }: Class): string {
  return name ? textOf(source, name) : 'default';
}

function isContainer(source: Source, node: Node): boolean {
  const [head = ''] = textOf(source, node).split('{');
  return /\bextends (Map|Set|Array|GenerationalCache|Deque)\b/.test(head);
}

/** An empty container that becomes a member of an object, or a field that tells no type. */
function keptValue(source: Source, node: Node): string | null {
  const [name, value] = isPropertyAssignment(node)
    ? [node.name, node.initializer]
    : isBinaryExpression(node)
      ? [node.left, node.right]
      : [];
  if (!name || !value || !isNewExpression(value)) return null;
  const isField = isPropertyAssignment(node) || /^this\.#?\w+$/.test(textOf(source, name));
  const isEmpty = (value.arguments?.length ?? 0) === 0;
  const container = textOf(source, value.expression);
  const grows = isEmpty ? CONTAINER.test(container) : /^(GenerationalCache|Deque)$/.test(container);
  return isField && grows ? textOf(source, name).replace(/^(this\.)?#?/, '') : null;
}

/** Of an object's type: a member that the holder of the object may add to. */
function isMember(source: Source, type: string): boolean {
  return GROWING_TYPE.test(type) && mayGrow(source, { type, value: undefined, fixed: true });
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
  if (!fixed && isTypedArray(source, type, value)) return true;
  // A type by another name tells nothing: what it begins with does.
  if (!value) return false;
  if (isArrayLiteralExpression(value)) return value.elements.length === 0;
  if (!isNewExpression(value) || !CONTAINER.test(textOf(source, value.expression))) return false;
  const [first] = value.arguments ?? [];
  return first === undefined || !isArrayLiteralExpression(first);
}

function isTypedArray(source: Source, type: string, value: Node | undefined): boolean {
  if (type !== '') return TYPED_ARRAY.test(type);
  return value !== undefined && TYPED_ARRAY.test(textOf(source, value).replace(/^new /, ''));
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
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return null;
  const method = textOf(source, node.expression.name);
  if (method !== 'find' && method !== 'aggregate') return null;
  const receiver = textOf(source, node.expression.expression).replace(/\s+/g, '');
  const [first] = node.arguments;
  // The driver's own reads take an object, those of an array a function.
  const isNative = first !== undefined && isObjectLiteralExpression(first);
  const isStore = /(store\b.*|collection\(.*\))$/i.test(receiver);
  if (!isNative && !isStore && method === 'find') return null;
  if (/\blimit\b|\.\.\.page|\bmost\b/.test(textOf(source, chainAround(node)))) return null;
  if (isStore && first) return textOf(source, first).replaceAll("'", '');
  return /(\w+)(\(.*\))?$/.exec(receiver)?.[1] ?? receiver;
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

const WRITES = /^(insert|update|remove|collection)$/;

/** Names of the collections that the file indexes, opens, reads or writes. */
export function collectionsIn(source: Source): readonly string[] {
  const nodes = [...nodesOf(source.tree)];
  const constants = new Map<string, string>();
  for (const node of nodes) {
    if (!isVariableDeclaration(node) || !node.initializer) continue;
    if (!isStringLiteral(node.initializer)) continue;
    constants.set(textOf(source, node.name), node.initializer.text);
  }
  const names = nodes.flatMap((node) => {
    const named = collectionAt(source, node);
    if (named === null) return [];
    return isStringLiteral(named) ? named.text : (constants.get(textOf(source, named)) ?? []);
  });
  return [...new Set([...names, ...nodes.flatMap((node) => indexedIn(source, node))])];
}

function collectionAt(source: Source, node: Node): Node | null {
  if (isPropertyAssignment(node)) {
    return WRITES.test(textOf(source, node.name)) ? node.initializer : null;
  }
  if (!isCallExpression(node)) return null;
  const isRead = /(\bstore\.(find|findOne|byId|count)|\.collection)$/.test(
    textOf(source, node.expression).replace(/\s+/g, ''),
  );
  return isRead ? (node.arguments[0] ?? null) : null;
}

/** Of the table of indexes, by collection. */
function indexedIn(source: Source, node: Node): readonly string[] {
  if (!isVariableDeclaration(node) || textOf(source, node.name) !== 'INDEXES') return [];
  const table = node.initializer;
  if (!table || !isObjectLiteralExpression(table)) return [];
  return table.properties.flatMap((row) =>
    isPropertyAssignment(row) ? textOf(source, row.name).replaceAll("'", '') : [],
  );
}
