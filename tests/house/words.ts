/** Rules on words in any file, and in the comments of code. */
import {
  isNoSubstitutionTemplateLiteral,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateHead,
  isTemplateMiddle,
  isTemplateTail,
} from 'typescript/unstable/ast';
import {
  type Finding,
  lineOf,
  nodesOf,
  type Rule,
  type Source,
  startOf,
  type TextFile,
} from './source.ts';

function everyMatch(pattern: RegExp, message: string): Rule<TextFile> {
  return (file) =>
    [...file.text.matchAll(pattern)].map((match) => ({
      path: file.path,
      line: lineOf(file, match.index),
      message: `${message}: ${match[0]}`,
    }));
}

// Written apart, so that this file keeps its own rules.
const joined = (...words: string[][]): string => words.map((parts) => parts.join('')).join('|');

export const registryHost: Rule<TextFile> = everyMatch(
  new RegExp(
    `\\b(?:[\\w-]+\\.)*(?:${joined(['npm', 'js'], ['yarn', 'pkg'], ['deb', 'ian'])})\\.(?:org|com)\\b`,
    'g',
  ),
  'a registry or mirror comes from the machine itself',
);

export const machinePath: Rule<TextFile> = everyMatch(
  new RegExp(
    `(?<![\\w.~-])/(?:${joined(['ho', 'me'], ['ro', 'ot'], ['wo', 'rk'], ['Us', 'ers'])})/[\\w.-]+`,
    'g',
  ),
  'a path of one machine',
);

/** The project speaks of what it is, not of how it came about. */
export const makingOf: Rule<TextFile> = everyMatch(
  new RegExp(
    `\\b(?:${joined(['cla', 'ude'], ['anth', 'ropic'], ['open', 'ai'], ['chat', 'gpt'], ['co', 'pilot'], ['sub', 'agent'], ['coll', 'eague'], ['assis', 'tants?'], ['l', 'lms?'])})\\b`,
    'gi',
  ),
  'speaks of how the project was made',
);

export const unfinished: Rule<TextFile> = everyMatch(
  new RegExp(`\\b(?:${joined(['TO', 'DO'], ['FIX', 'ME'], ['X', 'XX'], ['HA', 'CK'])})\\b`, 'g'),
  'unfinished',
);

/** The text with everything in quotes blanked out, so that each comment mark opens a comment. */
function withoutLiterals(source: Source): string {
  let text = '';
  let at = 0;
  for (const node of nodesOf(source.tree)) {
    const literal =
      isStringLiteral(node) ||
      isNoSubstitutionTemplateLiteral(node) ||
      isTemplateHead(node) ||
      isTemplateMiddle(node) ||
      isTemplateTail(node) ||
      isRegularExpressionLiteral(node);
    if (!literal) continue;
    const start = startOf(source, node);
    if (start < at) continue;
    text +=
      source.text.slice(at, start) + source.text.slice(start, node.end).replace(/[^\n]/g, '_');
    at = node.end;
  }
  return text + source.text.slice(at);
}

interface Comment {
  readonly line: number;
  readonly text: string;
}

type Comments = readonly (readonly Comment[])[];

const comments = new WeakMap<Source, Comments>();

/** The lines of every comment, without their marks; neighbouring `//` lines are one comment. */
export function commentsOf(source: Source): Comments {
  const known = comments.get(source) ?? readComments(source);
  comments.set(source, known);
  return known;
}

function readComments(source: Source): Comments {
  const blanked = withoutLiterals(source);
  const whole = /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g;
  return [...blanked.matchAll(whole)].map((match) => {
    const first = lineOf(source, match.index);
    return match[0].split('\n').map((content, index) => ({
      line: first + index,
      text: content.replace(/^\s*(\/\/|\/\*\*?|\*\/|\*)?\s?/, '').replace(/\*\/$/, ''),
    }));
  });
}

const CODE_LINES = [
  /^\s*(import|export|const|let|var|return|await|throw|if|for|while|switch|case|type|interface|class|function|async)\b.*[;{}]\s*$/,
  /^\s*(await\s+)?[\w$#.]+(\?\.)?\(.*\)\s*;\s*$/,
  /^\s*[\w$#.[\]]+\s*[+\-|&?]*=\s*.+;\s*$/,
  /^\s*\}[;,)]*\s*(else\s*\{)?\s*$/,
];

export const commentedOutCode: Rule = (source) =>
  commentsOf(source)
    .flat()
    .filter(({ text }) => CODE_LINES.some((pattern) => pattern.test(text)))
    .map(({ line, text }): Finding => {
      return { path: source.path, line, message: `commented-out code: ${text.trim()}` };
    });
