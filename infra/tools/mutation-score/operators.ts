/**
 * The mutation operators, on the compiler's syntax trees: arithmetic, relational, equality,
 * logical, conditional, literals, blocks and statements, methods, optional chaining, unary, update.
 */
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isExportDeclaration,
  isExpressionStatement,
  isForStatement,
  isIfStatement,
  isImportDeclaration,
  isInterfaceDeclaration,
  isNoSubstitutionTemplateLiteral,
  isNumericLiteral,
  isObjectLiteralExpression,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isRegularExpressionLiteral,
  isSpreadAssignment,
  isSpreadElement,
  isStringLiteral,
  isTemplateExpression,
  isTypeAliasDeclaration,
  isTypeNode,
  isWhileStatement,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type Source, startOf, textOf } from '../source.ts';
import type { Mutation } from './mutation.ts';

interface Change {
  readonly at: Node;
  readonly to: string;
  /** Of `at` only the text before its end; else all of it. */
  readonly from?: number;
}

type Operator = (node: Node, source: Source) => readonly Change[];

const SWAPPED: Readonly<Record<string, readonly string[]>> = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '??=': ['='],
};

const ARITHMETIC = /^[-+*/%]$/;
const RELATIONAL = /^[<>]=?$/;
const EQUALITY = /^[!=]==?$/;

const METHODS_REMOVED: ReadonlySet<string> = new Set([
  ...['sort', 'toSorted', 'filter', 'slice', 'reverse', 'toReversed', 'flat', 'concat'],
  ...['trim', 'trimEnd', 'trimStart', 'toLowerCase', 'toUpperCase', 'normalize', 'replaceAll'],
]);
const METHODS_SWAPPED: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  find: 'findLast',
  findLast: 'find',
};

function nameOfSwap(token: string): string {
  if (ARITHMETIC.test(token)) return 'arithmetic';
  if (RELATIONAL.test(token)) return 'relational';
  if (EQUALITY.test(token)) return 'equality';
  return token.endsWith('=') ? 'assignment' : 'logical';
}

const binary: Operator = (node, source) => {
  if (!isBinaryExpression(node)) return [];
  const swaps = SWAPPED[textOf(source, node.operatorToken)] ?? [];
  return swaps.map((to) => ({ at: node.operatorToken, to }));
};

/** `true` for a loop would be endless. */
const conditional: Operator = (node) => {
  if (isIfStatement(node)) return both(node.expression);
  if (isConditionalExpression(node)) return both(node.condition);
  if (isWhileStatement(node)) return [{ at: node.expression, to: 'false' }];
  if (isForStatement(node) && node.condition) return [{ at: node.condition, to: 'false' }];
  return [];
};

function both(at: Node): readonly Change[] {
  return [
    { at, to: 'true' },
    { at, to: 'false' },
  ];
}

const boolean: Operator = (node) => {
  if (node.kind === SyntaxKind.TrueKeyword) return [{ at: node, to: 'false' }];
  if (node.kind === SyntaxKind.FalseKeyword) return [{ at: node, to: 'true' }];
  return [];
};

const string: Operator = (node, source) => {
  if (isTemplateExpression(node)) return [{ at: node, to: '``' }];
  if (!isStringLiteral(node) && !isNoSubstitutionTemplateLiteral(node)) return [];
  if (isPropertyAssignment(node.parent) && node.parent.name === node) return [];
  return [{ at: node, to: textOf(source, node).length > 2 ? "''" : "'mutated'" }];
};

const number: Operator = (node, source) => {
  if (!isNumericLiteral(node)) return [];
  const value = Number(textOf(source, node).replaceAll('_', ''));
  const negated = isPrefixUnaryExpression(node.parent) || value !== 1;
  return [{ at: node, to: String(value + 1) }, ...(negated ? [] : [{ at: node, to: '-1' }])];
};

const regex: Operator = (node, source) => {
  if (!isRegularExpressionLiteral(node)) return [];
  const [, body = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(textOf(source, node)) ?? [];
  const bodies = [
    ...(body.startsWith('^') ? [body.slice(1)] : []),
    ...(body.endsWith('$') && !body.endsWith('\\$') ? [body.slice(0, -1)] : []),
    ...[...body.matchAll(/(?<!\\)[+*](?!\?)/g)].map(({ index }) => without(body, index)),
  ];
  return bodies
    .filter((each) => each !== '' && isRegex(each, flags))
    .map((each) => ({ at: node, to: `/${each}/${flags}` }));
};

function without(text: string, at: number): string {
  return text.slice(0, at) + text.slice(at + 1);
}

function isRegex(body: string, flags: string): boolean {
  try {
    return new RegExp(body, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

const collection: Operator = (node) => {
  if (isArrayLiteralExpression(node))
    return node.elements.length > 0 ? [{ at: node, to: '[]' }] : [];
  if (isSpreadElement(node)) return [{ at: node.expression, to: '[]' }];
  if (isSpreadAssignment(node)) return [{ at: node.expression, to: '({})' }];
  const filled = isObjectLiteralExpression(node) && node.properties.length > 0;
  if (!filled) return [];
  return [{ at: node, to: '{}' }];
};

const block: Operator = (node) => {
  if (isBlock(node)) return node.statements.length > 0 ? [{ at: node, to: '{}' }] : [];
  if (isArrowFunction(node) && !isBlock(node.body)) return [{ at: node.body, to: 'undefined' }];
  return [];
};

const statement: Operator = (node) => (isExpressionStatement(node) ? [{ at: node, to: ';' }] : []);

const method: Operator = (node, source) => {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return [];
  const { name, expression } = node.expression;
  const called = textOf(source, name);
  const swapped = METHODS_SWAPPED[called];
  return [
    ...(METHODS_REMOVED.has(called) ? [{ at: node, to: textOf(source, expression) }] : []),
    ...(swapped === undefined ? [] : [{ at: name, to: swapped }]),
  ];
};

const optional: Operator = (node, source) => {
  const chains =
    isPropertyAccessExpression(node) || isElementAccessExpression(node) || isCallExpression(node);
  if (!chains || !node.questionDotToken) return [];
  const plain = isPropertyAccessExpression(node) ? '.' : '';
  return textOf(source, node.questionDotToken) === '?.'
    ? [{ at: node.questionDotToken, to: plain }]
    : [];
};

const unary: Operator = (node, source) => {
  if (!isPrefixUnaryExpression(node)) return [];
  const token = source.text.slice(startOf(source, node), startOf(source, node.operand));
  return /^[-!+~]/.test(token) && token.length === 1
    ? [{ at: node, to: textOf(source, node.operand) }]
    : [];
};

const update: Operator = (node, source) => {
  if (!isPrefixUnaryExpression(node) && !isPostfixUnaryExpression(node)) return [];
  const text = textOf(source, node);
  if (!/^(?:\+\+|--)|(?:\+\+|--)$/.test(text)) return [];
  const swapped = text.replace(/\+\+|--/, (token) => (token === '++' ? '--' : '++'));
  return [{ at: node, to: swapped }];
};

const OPERATORS: Readonly<Record<string, Operator>> = {
  binary,
  conditional,
  boolean,
  string,
  number,
  regex,
  collection,
  block,
  statement,
  method,
  optional,
  unary,
  update,
};

/** Types and imports are not run. */
function isNotRun(node: Node): boolean {
  return (
    isImportDeclaration(node) ||
    isExportDeclaration(node) ||
    isInterfaceDeclaration(node) ||
    isTypeAliasDeclaration(node) ||
    isTypeNode(node)
  );
}

/** Every mutation of a file, in the order of its text. */
export function mutationsOf(source: Source): readonly Mutation[] {
  const found: Mutation[] = [];
  visit(source.tree, (node) => {
    for (const [name, operator] of Object.entries(OPERATORS)) {
      for (const { at, to } of operator(node, source)) {
        const [start, end] = [startOf(source, at), at.end];
        const was = source.text.slice(start, end);
        const kind = name === 'binary' ? nameOfSwap(was) : name;
        if (was !== to)
          found.push({ file: source.path, start, end, replacement: to, operator: kind });
      }
    }
  });
  const unique = new Map(
    found.map((each) => [`${each.start} ${each.end} ${each.replacement}`, each]),
  );
  return [...unique.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

function visit(node: Node, see: (node: Node) => void): void {
  node.forEachChild((child) => {
    if (isNotRun(child)) return undefined;
    see(child);
    visit(child, see);
    return undefined;
  });
}
