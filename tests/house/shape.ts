/** Rules on the shape of code: sizes, names, parameters, headers. */
import { basename } from 'node:path';
import {
  isCallExpression,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isPropertyAssignment,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast';
import {
  type Finding,
  found,
  lineOf,
  nodesOf,
  type Rule,
  type Source,
  startOf,
  type TextFile,
  textOf,
} from './source.ts';

export const FILE_LINES_MAX = 300;
export const FILE_LINES_MEDIAN_MAX = 130;
export const FUNCTION_LINES_MAX = 50;
const PARAMETERS_MAX = 3;
const COLUMNS_MAX = 100;

const VAGUE = /(^|-)(utils?|helpers?|managers?|common|misc|stuff|lib)(-|$)/;
const VAGUE_PART = /(Utils?|Helpers?|Manager|Common|Misc)($|[A-Z])/;
const VAGUE_VERB = /^(handle|process|do)($|[A-Z])/;
/** Here *process* is the noun: an operating system's process. */
const PROCESS_THE_NOUN: ReadonlySet<string> = new Set(['processSubject', 'processIdentity']);
const KEBAB = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.(tests?|d))?\.[a-z]+$/;
/** Names that tools and readers expect. */
const GIVEN_NAMES: ReadonlySet<string> = new Set([
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'Procfile',
]);

function linesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

export const fileName: Rule<TextFile> = ({ path }) => {
  const name = basename(path);
  if (GIVEN_NAMES.has(name) || name === '.gitignore' || path === '.ci/run') return [];
  if (!KEBAB.test(name)) return [{ path, line: 1, message: 'file names are in kebab-case' }];
  if (!VAGUE.test(name.replace(/\..*$/, ''))) return [];
  return [{ path, line: 1, message: 'the name says nothing: what is it one of?' }];
};

export const fileLength: Rule = ({ path, text }) =>
  linesOf(text) > FILE_LINES_MAX
    ? [{ path, line: 1, message: `${linesOf(text)} lines, at most ${FILE_LINES_MAX}` }]
    : [];

export function medianLines(sources: readonly Source[]): number {
  const sorted = sources.map(({ text }) => linesOf(text)).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The formatter breaks code; what it cannot break is left to it, and links are never broken. */
export const lineLength: Rule = ({ path, text }) =>
  text.split('\n').flatMap((content, index): Finding[] => {
    const comment = /^\s*(\/\/|\/?\*)/.test(content) && !content.includes('://');
    if (!comment || content.length <= COLUMNS_MAX) return [];
    return [
      { path, line: index + 1, message: `${content.length} columns, at most ${COLUMNS_MAX}` },
    ];
  });

/** Its own name, or that of the variable or property which it is given to. */
function nameOf(node: Node): string | null {
  const own = isFunctionDeclaration(node) || isMethodDeclaration(node) ? node : node.parent;
  const named =
    isFunctionDeclaration(own) ||
    isMethodDeclaration(own) ||
    isVariableDeclaration(own) ||
    isPropertyAssignment(own);
  return named && own.name && isIdentifier(own.name) ? own.name.text : null;
}

/** The function given to `describe` is a chapter, not a function. */
function isGroupOfTests(source: Source, node: Node): boolean {
  const { parent } = node;
  return isCallExpression(parent) && textOf(source, parent.expression) === 'describe';
}

export const functionLength: Rule = (source) => {
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (!isFunctionLikeDeclaration(node)) continue;
    const lines = lineOf(source, node.end) - lineOf(source, startOf(source, node)) + 1;
    if (lines <= FUNCTION_LINES_MAX || isGroupOfTests(source, node)) continue;
    findings.push(
      found(
        source,
        node,
        `${nameOf(node) ?? 'function'} has ${lines} of ${FUNCTION_LINES_MAX} lines`,
      ),
    );
  }
  return findings;
};

export const parameterCount: Rule = (source) => {
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (!isFunctionLikeDeclaration(node) || node.parameters.length <= PARAMETERS_MAX) continue;
    const name = isConstructorDeclaration(node) ? 'constructor' : (nameOf(node) ?? 'function');
    findings.push(found(source, node, `${name} has ${node.parameters.length} parameters`));
  }
  return findings;
};

export const functionName: Rule = (source) => {
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (!isFunctionLikeDeclaration(node)) continue;
    const name = nameOf(node);
    if (name === null || PROCESS_THE_NOUN.has(name)) continue;
    if (VAGUE_VERB.test(name) || VAGUE_PART.test(name) || name === 'webhook') {
      findings.push(found(source, node, `${name}: name what it does`));
    }
  }
  return findings;
};

/** A domain or runtime file opens with what it is (and, where it holds state, its invariants). */
export const header: Rule = ({ path, text }) => {
  if (!/^actors\/(domain|runtime)\//.test(path) || text.startsWith('/**')) return [];
  return [{ path, line: 1, message: 'opens with what it is' }];
};
